// From plans to trees.
#pragma once

#include <vector>

#include "data/problem.hpp"
#include "run/finish.hpp"
#include "thresholds/search/search.hpp"

namespace streed::thresholds {

// The tree of a plan on the rows of the problem: leaves are labelled, redundant splits removed, and the
// objective is counted anew. Its features are numbers of `splits`.
FinishedTree rebuild(Search& search, Worker& worker, const Plan* plan, std::vector<Split>& splits);

}  // namespace streed::thresholds
