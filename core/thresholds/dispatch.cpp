#include <stdexcept>
#include <string>
#include <vector>

#include "kernels.hpp"

namespace streed::thresholds {
namespace {

std::vector<const Kernels*> available() {
    std::vector<const Kernels*> levels{&baseline::kernels};
#ifdef STREED_HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) levels.push_back(&avx2::kernels);
#endif
#ifdef STREED_HAVE_AVX512
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq") &&
        __builtin_cpu_supports("avx512bitalg"))
        levels.push_back(&avx512::kernels);
#endif
    return levels;
}

}  // namespace

const Kernels& select_kernels(const std::string& level) {
    const std::vector<const Kernels*> levels = available();
    if (level == "auto") return *levels.back();
    std::string names;
    for (const Kernels* kernels : levels) {
        if (level == kernels->name) return *kernels;
        names += std::string(names.empty() ? "" : ", ") + kernels->name;
    }
    throw std::invalid_argument("simd must be 'auto' or a level that this machine can run (" + names +
                                "), got '" + level + "'");
}

}  // namespace streed::thresholds
