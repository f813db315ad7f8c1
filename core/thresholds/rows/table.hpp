// The problem as the search sees it: its root node, and the way back.
#pragma once

#include <cstdint>
#include <vector>

#include "model/options.hpp"
#include "thresholds/problem.hpp"
#include "thresholds/rows/node.hpp"

namespace streed::thresholds {

// A column of the search. One with missing values is there twice: they have the least rank in the first copy
// and the largest one in the second, so that a threshold always has a side for them.
struct Source {
    std::int32_t column = 0;
    bool missing = false;             // has missing values
    bool upper = false;               // they have the largest rank; else the least
    std::vector<std::int32_t> ranks;  // of the problem, by rank of the search; -1: missing
};

struct Table {
    Node root;
    std::vector<std::uint32_t> rows;  // of the problem, by row of the root
    std::vector<Source> sources;
    double grain = 1;  // weight of one unit of a row
    Cost ticks = 1;    // cost of one unit
    double base = 0;   // what all rows cost in any tree
    Cost branch_cost = 0;
    std::size_t bytes = 0;

    double in_weights(Cost cost) const {
        return base + static_cast<double>(cost) * (grain / static_cast<double>(ticks));
    }
};

// Columns become dense ranks; constant ones, and copies or mirror images of others, go. The row model makes
// whole numbers of what rows cost.
Table make_table(const Problem& problem, const Options& options);

}  // namespace streed::thresholds
