// The last step of a solve, on the rows of the problem as it was given.
#pragma once

#include "data/problem.hpp"
#include "model/result.hpp"

namespace streed {

struct FinishedTree {
    Tree tree;
    double objective = 0;  // costs of leaves and of branching nodes
    double magnitude = 0;  // of the costs that were added up
};

// Labels the leaves and removes redundant splits: a node becomes a leaf, or one of
// its own subtrees takes its place, wherever the objective stays the same. Leaves only gain rows by that.
// After `patience` seconds no more subtrees are tried in the place of others: a leaf function may be slow.
FinishedTree finish_tree(const Problem& problem, const Tree& tree, double branch_cost, double patience);

}  // namespace streed
