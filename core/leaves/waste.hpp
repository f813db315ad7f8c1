// What is known of equal rows before a search with a native leaf function begins.
#pragma once

#include <cstddef>
#include <vector>

#include "native_leaf.hpp"

namespace streed {

// What a leaf costs, from its sums as they are given; for the finished tree, where no tick is wanted.
double native_leaf_cost(NativeLeaf form, const double* sums, std::size_t n_values);

// What each group of equal rows, given by its sums [group][statistic], can add to the cost of a leaf at most,
// above its unavoidable cost: a group of weight n about its mean adds n times the square of the distance to
// the mean of the leaf, and that mean lies between the least and the greatest one of all groups. Squares
// only.
std::vector<double> squares_weights(const std::vector<double>& sums, std::size_t groups,
                                    std::size_t n_values);

}  // namespace streed
