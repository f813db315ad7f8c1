// Squared error: rows as whole numbers, and the best split of a node.
#pragma once

#include "thresholds/problem.hpp"
#include "thresholds/search/search.hpp"

namespace streed::thresholds {

// Rows of a problem with statistics (weight, weighted target, weighted square of the target).
struct SquareRows {
    std::vector<double> numbers;  // [row][3]: weight and sum in units, square in parts of a tick
    std::vector<double> most;     // [row]: ticks that the row adds to a leaf at most
    double tick = 1;              // cost of a tick
    double factor = 1;            // parts of a tick, of sum^2 / weight in units
    double base = 0;              // what rows cost by themselves in any tree
};

SquareRows make_square_rows(const Problem& problem);

}  // namespace streed::thresholds
