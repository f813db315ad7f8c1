// Buffers for children of a node, which are never loaded as nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "data/aligned.hpp"
#include "search/prices.hpp"

namespace streed {

// Buffers of the size of a pair table that hold nothing between two calls of different techniques: the table
// of the smaller child, the table of a sibling that is subtracted, or weights on their way.
struct SpareTables {
    AlignedBuffer table, singles, rows;
    std::vector<std::uint64_t> filter;
};

// Sums per feature and in all of both children of a feature: the smaller child's singles lie in the spare
// tables, its totals come first.
struct ChildSums {
    explicit ChildSums(SpareTables& of) : spare(of) {}

    SpareTables& spare;
    AlignedBuffer other_singles, totals;
    NodePrices prices;
    bool filled = false;  // the spare table is that of the smaller child
    bool sizes = true;    // and has numbers of rows, if the model counts them
};

}  // namespace streed
