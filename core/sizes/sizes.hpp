// The best tree for every number of branching nodes, from one search.
#pragma once

#include <vector>

#include "data/problem.hpp"
#include "model/options.hpp"
#include "model/result.hpp"

namespace streed {

// Vectors of values have an entry for every number of nodes; beyond so many they cost more than they save.
constexpr int kMostSizes = 63;

struct SizedTree {
    int nodes = 0;  // branching nodes that it was searched with; all smaller sizes are worse
    Tree tree;
    double objective = 0;
    double magnitude = 0;  // as in Result
};

struct SizesResult {
    std::vector<SizedTree> trees;     // by rising number of nodes
    std::vector<double> lower_bound;  // [nodes], of all trees with at most so many
    Status status = Status::optimal;
    double seconds = 0;
    Statistics statistics;
};

// As solve(), for 0, ..., max_nodes branching nodes at once: at most kMostSizes. The cost of a
// tree must be the sum of the costs of its leaves and branching nodes.
SizesResult solve_sizes(const Problem& problem, const Options& options);

}  // namespace streed
