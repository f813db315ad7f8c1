// Greedy trees over columns of ranks, as CART grows them: starts and fall-backs of every search.
//
// The trees of scikit-learn round columns to 32 bits and number their thresholds by values, so that each test
// had to be looked up among those of the search. Trees on ranks test what the search tests, to the bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "thresholds/problem.hpp"

namespace streed::greedy {

using thresholds::Split;

enum class Criterion { gini, entropy, squares };

// Columns of ranks as in thresholds::Problem, and after them binary features; a split on a feature has the
// column n_columns + feature and the rank 0, and rows that have the feature go right. Rows have a label, or
// (for squares) one target or more; both kinds have a weight.
struct Rows {
    const std::int32_t* ranks = nullptr;  // [column][row]
    const std::uint8_t* bits = nullptr;   // [row][feature]
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    std::size_t n_bits = 0;
    const std::int32_t* labels = nullptr;
    int n_labels = 0;
    const double* targets = nullptr;  // [row][target]
    std::size_t n_targets = 0;
    const double* weights = nullptr;

    // Sums by which leaves are compared: one for each label, or for each target.
    std::size_t n_sums() const { return labels != nullptr ? static_cast<std::size_t>(n_labels) : n_targets; }
};

struct Limits {
    int depth = 0;
    int nodes = 0;  // branching nodes
    std::size_t least_rows = 1;
    double seconds = 0;  // no node is split later
};

// Flat arrays in preorder: feature is the number of a split, -1 at a leaf; rows that satisfy it go right.
struct Grown {
    std::vector<std::int32_t> feature, left, right;
    std::vector<Split> splits;
};

// Splits the node whose split gains most, until the limits allow no more or all leaves are pure.
Grown grow(const Rows& rows, Criterion criterion, const Limits& limits);

}  // namespace streed::greedy
