// The levels that this machine can run, and the kernels of the search by depth at one of them.
#include "kernels/dispatch.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "engine.hpp"

namespace streed {

// The flags of CMakeLists.txt: whatever the compiler may use must be there.
std::vector<std::string> simd_levels() {
    std::vector<std::string> levels{baseline::kernels.name};
#ifdef STREED_HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        levels.emplace_back(avx2::kernels.name);
#endif
#if defined(STREED_HAVE_AVX512BW) || defined(STREED_HAVE_AVX512)
    const bool wide = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq");
#endif
#ifdef STREED_HAVE_AVX512BW
    if (wide) levels.emplace_back(avx512bw::kernels.name);
#endif
#ifdef STREED_HAVE_AVX512
    if (wide && __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bitalg") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("gfni"))
        levels.emplace_back(avx512::kernels.name);
#endif
    return levels;
}

std::string simd_level(const std::string& wanted) {
    const std::vector<std::string> levels = simd_levels();
    if (wanted == "auto") return levels.back();
    if (std::find(levels.begin(), levels.end(), wanted) != levels.end()) return wanted;
    std::string names;
    for (const std::string& level : levels) names += (names.empty() ? "" : ", ") + level;
    throw std::invalid_argument("simd must be 'auto' or a level that this machine can run (" + names +
                                "), got '" + wanted + "'");
}

const Kernels& select_kernels(const std::string& level) {
    return kernels_at<Kernels>(simd_level(level), STREED_ALL_KERNELS);
}

}  // namespace streed
