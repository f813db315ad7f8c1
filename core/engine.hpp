// The engine's only entry.
#pragma once

#include <string>
#include <vector>

#include "data/problem.hpp"
#include "model/options.hpp"
#include "model/result.hpp"

namespace streed {

// Finds a tree of least cost under the limits, or the best one until a limit of time or the user ends the search.
// Throws std::invalid_argument for options that this machine cannot serve, std::bad_alloc when memory runs out.
Result solve(const Problem& problem, const Options& options);

// Instruction sets that this build and machine can run, best last.
std::vector<std::string> simd_levels();

}  // namespace streed
