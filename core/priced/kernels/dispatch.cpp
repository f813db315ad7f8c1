// The kernels of the search for priced nodes at one of the levels of this machine.
#include "kernels/dispatch.hpp"

#include "priced/kernels/kernels.hpp"

namespace streed::priced {

const Kernels& select_kernels(const std::string& level) {
    return kernels_at<Kernels>(simd_level(level), STREED_ALL_KERNELS);
}

}  // namespace streed::priced
