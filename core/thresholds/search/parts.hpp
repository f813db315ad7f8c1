// A lower bound from the best trees of parts of the rows.
#pragma once

#include "thresholds/search/search.hpp"

namespace streed::thresholds {

// Raises the bound of a search by solving parts of its rows one by one, within so many seconds.
void raise_bound_by_parts(Search& search, double seconds);

}  // namespace streed::thresholds
