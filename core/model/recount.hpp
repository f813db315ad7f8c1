// A tree counted anew from the rows as they were given: nothing that a search has found is believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/problem.hpp"
#include "model/route.hpp"

namespace streed {

// What a row costs in a leaf: its weight where the leaf has another label than the row, or an entry of its
// own for every label. Rows cost nothing where neither is given.
struct RowCosts {
    const std::int32_t* labels = nullptr;
    const double* weights = nullptr;
    const double* table = nullptr;  // n_rows x n_labels
    std::size_t n_labels = 0;
    bool maximum = false;  // a node costs what the dearest leaf below it does; else the sum of them
};

struct RowClasses {
    const std::int32_t* codes = nullptr;  // null: rows have no classes
    const double* weights = nullptr;      // null: one each
    std::size_t n = 0;
};

// Of every node, with the rows of all leaves below it.
struct NodeCounts {
    std::vector<std::int64_t> samples;
    std::vector<double> costs;
    std::vector<double> classes;  // [node][class], weight of the rows
    std::vector<double> paid;     // by all rows of the node for its test

    // What the tree costs: its root, and all tests.
    double total() const;
    // Numbers of nodes times a factor, by row where they are sums.
    std::vector<double> per_row(const std::vector<double>& of, double factor, bool sums) const;
};

// `leaf` is where each row ends, `label` the label of each leaf, `feature` what the other nodes test. All
// numbers lie in range.
NodeCounts recount(const std::vector<Fork>& forks, const std::int32_t* feature, const std::int32_t* label,
                   const std::int64_t* leaf, std::size_t n_rows, const RowCosts& costs,
                   const RowClasses& classes, const Prices* prices);

}  // namespace streed
