// Chooses kernels for this machine at run time, for all engines.
#pragma once

#include <initializer_list>
#include <string>

#include "kernels/kernels.hpp"

namespace streed {

// The name of a level, of the best one for "auto"; std::invalid_argument if the machine lacks it.
std::string simd_level(const std::string& wanted);

// The kernels of an engine for all levels that were compiled; all engines have them under the same names.
#ifdef STREED_HAVE_AVX2
#define STREED_AVX2_KERNELS , &avx2::kernels
#else
#define STREED_AVX2_KERNELS
#endif
#ifdef STREED_HAVE_AVX512BW
#define STREED_AVX512BW_KERNELS , &avx512bw::kernels
#else
#define STREED_AVX512BW_KERNELS
#endif
#ifdef STREED_HAVE_AVX512
#define STREED_AVX512_KERNELS , &avx512::kernels
#else
#define STREED_AVX512_KERNELS
#endif
#define STREED_ALL_KERNELS \
    {&baseline::kernels STREED_AVX2_KERNELS STREED_AVX512BW_KERNELS STREED_AVX512_KERNELS}

// The kernels of that name among those of an engine.
template <class Of>
const Of& kernels_at(const std::string& level, std::initializer_list<const Of*> compiled) {
    const Of* found = *compiled.begin();
    for (const Of* kernels : compiled)
        if (level == kernels->name) found = kernels;
    return *found;
}

const Kernels& select_kernels(const std::string& level);

}  // namespace streed
