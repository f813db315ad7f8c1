// From plans to trees.
#pragma once

#include "thresholds/search/search.hpp"

namespace streed::thresholds {

// The tree of a plan on the rows of the problem: leaves are labelled, redundant splits removed, and the
// objective is counted anew.
void rebuild(Search& search, Worker& worker, const std::shared_ptr<const Plan>& plan, Result& result);

}  // namespace streed::thresholds
