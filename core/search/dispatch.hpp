// Chooses the kernels for this machine at run time.
#pragma once

#include <string>

#include "kernels.hpp"

namespace streed {

// The kernels of a level by name, "auto" for the best one; std::invalid_argument if the machine lacks it.
const Kernels& select_kernels(const std::string& level);

}  // namespace streed
