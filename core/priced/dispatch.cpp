// The choice of kernels follows the engine's own list of levels (`simd_levels`).
#include <stdexcept>

#include "../engine.hpp"
#include "kernels.hpp"

namespace streed::priced {

const Kernels& select_kernels(const std::string& level) {
    const std::vector<std::string> levels = simd_levels();
    std::string names;
    for (const std::string& known : levels) names += (names.empty() ? "" : ", ") + known;
    bool found = level == "auto";
    for (const std::string& known : levels) found = found || known == level;
    if (!found)
        throw std::invalid_argument("simd must be 'auto' or a level that this machine can run (" + names +
                                    "), got '" + level + "'");
    const std::string chosen = level == "auto" ? levels.back() : level;
#ifdef STREED_HAVE_AVX512
    if (chosen == "avx512") return avx512::kernels;
#endif
#ifdef STREED_HAVE_AVX2
    if (chosen == "avx2") return avx2::kernels;
#endif
    return baseline::kernels;
}

}  // namespace streed::priced
