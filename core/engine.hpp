// Entry of the search by depth for one value, and what its callers may have to catch.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "data/problem.hpp"
#include "model/options.hpp"
#include "model/result.hpp"

namespace streed {

// A leaf function that breaks its contract: costs that are not finite, or not the same when asked for again.
struct TaskFailure : std::runtime_error {
    explicit TaskFailure(const std::string& cause, std::vector<double> of_leaf = {})
        : std::runtime_error(cause), statistics(std::move(of_leaf)) {}
    std::vector<double> statistics;  // of the leaf in question, if there is one
    int part = -1;                   // of several components: the one whose function it is
};

// Thrown by a leaf function that was interrupted by the user: the search ends with the best tree so far. It
// comes out of solve() only where there is no tree yet.
struct Interrupted {};

// Finds a tree of least cost under the limits, or the best one until a limit of time or the user ends the
// search. Throws std::invalid_argument for options that this machine cannot serve, std::bad_alloc when memory
// runs out, TaskFailure, and whatever a leaf function throws.
Result solve(const Problem& problem, const Options& options);

// Instruction sets that this build and machine can run, best last.
std::vector<std::string> simd_levels();

}  // namespace streed
