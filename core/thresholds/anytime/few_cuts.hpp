// The best tree over few thresholds, by the search over binary features.
#pragma once

#include <memory>

#include "thresholds/anytime/cuts.hpp"

namespace streed::thresholds {

// What a search over so many cuts costs, in rows times columns walked; `levels` of the tree.
double work_on_cuts(const Node& node, std::size_t n_cuts, int levels);

// Finds a tree of the rows of a node with tests among the cuts; null: a leaf. It is the best one of these if
// no limit of the search ends it.
std::shared_ptr<const Plan> solve_on_cuts(Search& search, const Node& node, const Cuts& cuts, int depth,
                                          int nodes);

}  // namespace streed::thresholds
