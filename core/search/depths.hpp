// What the search of the root has proven on the way to its depth: of trees of fewer levels.
#pragma once

#include <vector>

#include "model/options.hpp"
#include "model/result.hpp"

namespace streed {

struct Problem;

// No tree of this depth costs less.
struct DepthProof {
    int depth = 0;
    double bound = 0;
    bool attained = false;  // by a tree of this depth, so that it is the best one
};
using DepthProofs = std::vector<DepthProof>;

// `solve` of engine.hpp, which also gives the smaller depths, rising; none where it does not deepen.
Result solve(const Problem& problem, const Options& options, DepthProofs& depths);

}  // namespace streed
