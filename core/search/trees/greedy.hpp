// Greedy trees with optimal ends, for searches that are too deep to be proven in time.
#pragma once

#include <functional>
#include <vector>

#include "search/worker.hpp"

namespace streed {

enum class Impurity { gini, entropy };

// How a greedy tree is grown: splits with the least impurity down to the last `tail` levels, which are solved
// optimally. `rank` has, by heap number of a node (1 for the root, 2k and 2k + 1 below k), which split in the
// order of impurity is taken; the first one where it has no entry.
struct GreedyPlan {
    int depth = 0;
    int tail = 2;
    Impurity impurity = Impurity::gini;
    std::vector<int> rank;
    std::function<bool()> leave_out = {};  // asked for every feature of a node; none: no feature is left out
};

// Whether the leaves count classes (or have costs of sides) by which splits can be compared.
bool has_impurity(const Search& search);

// The tree of a plan, from the root. It never has more errors than the greedy tree with the same splits.
Tree greedy_tree(Search& search, Worker& worker, const GreedyPlan& plan);

// The same below the node at `index` of the path that the worker is on; returns where its root is.
int grow_below(Search& search, Worker& worker, const GreedyPlan& plan, int index, Tree& tree);

// The same with at most so many branching nodes, as the best pruning of a greedy tree whose last two levels
// are optimal.
Tree greedy_tree_within(Search& search, Worker& worker, const GreedyPlan& plan, int nodes);

}  // namespace streed
