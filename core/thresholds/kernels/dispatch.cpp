// The kernels of the search over thresholds at one of the levels of this machine.
#include "kernels/dispatch.hpp"

#include "thresholds/kernels/kernels.hpp"

namespace streed::thresholds {

const Kernels& select_kernels(const std::string& level) {
    return kernels_at<Kernels>(simd_level(level), STREED_ALL_KERNELS);
}

}  // namespace streed::thresholds
