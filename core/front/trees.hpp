// From trees of the search to trees of the problem.
#pragma once

#include <optional>
#include <vector>

#include "front/data/rows.hpp"

namespace streed {

// Original feature numbers, preorder; where branching costs nothing, splits with the same label on both sides
// go.
Tree finished_tree(const Tree& tree, const Rows& rows);

// The way back: a labelled tree in kept features, or nothing where it tests another one or exceeds the limits
// on depth, nodes and leaves.
std::optional<Tree> kept_tree(const Tree& tree, const Rows& rows, const Options& options);

// Values of a labelled tree on the rows of the problem, in its own components.
std::vector<double> tree_values(const VectorProblem& problem, const Tree& tree);

}  // namespace streed
