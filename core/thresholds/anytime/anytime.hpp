// One search over all thresholds that has a good tree soon and a bound that says something.
#pragma once

#include "thresholds/search/search.hpp"

namespace streed::thresholds {

// In this order, each step only as far as the limits of work and time allow:
//   1. a small exact search: many small tables end here, proven;
//   2. the best tree over few cuts, improved around its own tests over all thresholds (few_cuts, descent);
//   3. bounds over all thresholds from coarse intervals (Grid), coarse ones first;
//   4. the exact search, where it is foreseen to end within what is left.
// Returns whether the tree of the search is proven to be the best one. A tree is offered beforehand.
bool search_anytime(Search& search, Worker& worker);

// The exact search alone.
void search_exactly(Search& search, Worker& worker);

}  // namespace streed::thresholds
