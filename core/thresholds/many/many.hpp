// A good tree for many rows: columns in bins of one byte, sums by bins and by pairs of bins.
//
// The rows of a node in the order of every column take twelve bytes a cell, and dividing them costs more
// than all else: a million rows and 20 columns took 1.6 GB and 10 s, with no bound to show for it. A byte a
// cell and histograms find as good a tree. Nothing is proven here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/options.hpp"
#include "model/result.hpp"

namespace streed::thresholds::many {

// Rows have a label and a weight, a cost for every label, or a target.
struct Problem {
    const std::uint8_t* codes = nullptr;  // [column][row]: numbers of bins, in the order of the values
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    int n_labels = 1;
    const std::int32_t* labels = nullptr;
    const double* weights = nullptr;
    const double* costs = nullptr;       // n_rows x n_labels
    const double* statistics = nullptr;  // n_rows x 3: weight, weighted target, and its weighted square

    const std::uint8_t* column(std::size_t j) const { return codes + j * n_rows; }
};

// Rows whose code is at most `bin` go to side 0. A leaf has no column.
struct Node {
    std::int32_t column = -1;
    std::int32_t bin = 0;
    std::int32_t side[2] = {-1, -1};
};

using Tree = std::vector<Node>;  // the root is the first one

struct Found {
    Tree tree, greedy;                // the best one, and one as CART grows it
    Status status = Status::optimal;  // optimal: no limit has ended the search
    std::size_t peak_memory = 0;
    double seconds = 0;
};

// Of all trees with one test more or less no better one is known: the best tree over few bins of a sample,
// then the last two levels anew with all tests above fixed, and each of these with everything else fixed, in
// turns; and the same with bins around the tests of that tree.
Found solve(const Problem& problem, const Options& options);

}  // namespace streed::thresholds::many
