// A problem as rows of the search: whole units of cost, packed bits, the price in ticks.
#pragma once

#include "priced/priced.hpp"
#include "priced/rows/rows.hpp"

namespace streed::priced {

Root make_root(const Problem& problem, double branch_cost, bool support);

// The largest difference that the label makes to the cost of a row.
double largest_weight(const Problem& problem);

}  // namespace streed::priced
