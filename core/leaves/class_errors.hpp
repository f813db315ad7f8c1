// Class errors: a leaf costs the weight of its rows that have another class than its label.
#pragma once

#include <vector>

#include "leaves/leaf_models.hpp"

namespace streed {

// Reduces rows with the given labels and weights, the weights in grains of `out`.
void reduce_errors(ReducedProblem& out, const GroupedRows& rows, const std::int32_t* row_labels,
                   const std::vector<double>& grid);

}  // namespace streed
