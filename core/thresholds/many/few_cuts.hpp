// The best tree over few cuts, by the search over bits, on a sample of the rows.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "run/control.hpp"
#include "thresholds/many/many.hpp"

namespace streed::thresholds::many {

using Cut = std::pair<std::int32_t, std::int32_t>;  // column and bin
using Cuts = std::set<Cut>;

void add_tests(const Tree& tree, Cuts& out);

// Quantiles of columns, as many as one search may take; the first columns of an order get more of them.
void add_quantiles(const Problem& problem, const std::vector<std::size_t>& order, int depth, Cuts& out);

// Around each test of a tree, quantiles of the rows between it and the nearest known cuts on both sides.
void add_windows(const Problem& problem, const Tree& tree, const Cuts& known, int per_side, Cuts& out);

// The best tree over some cuts for every so many-th row; a leaf if a limit ends the search early.
Tree solve_on_cuts(const Problem& problem, const Cuts& cuts, int depth, const Options& options,
                   run::Control& control);

}  // namespace streed::thresholds::many
