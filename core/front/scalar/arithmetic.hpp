// Limits that only extreme labellings can meet, found by arithmetic instead of search.
#pragma once

#include <cstdint>
#include <vector>

#include "front/task.hpp"

namespace streed {

// Rows of one constrained component when it takes two values for label 1 above label 0, one positive and one
// negative (the rows of two groups), and the limits hold only if all of these rows get one label or all get
// the other. With groups of 7 and 9 rows and a limit of zero, a 9 - b 7 = 0 has only the solutions (0, 0) and
// (7, 9). Returns the rows, empty if that is not so.
std::vector<std::uint32_t> all_or_none(const VectorProblem& problem, int component, double lower,
                                       double upper);

}  // namespace streed
