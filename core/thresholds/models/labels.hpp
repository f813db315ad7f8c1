// What models of labels and of costs have in common.
#pragma once

#include "thresholds/models/row_model.hpp"

namespace streed::thresholds {

// Of rows with a label each, by the number of labels that occur.
const RowModel& model_of_labels(int n_labels);

// The weights of rows with labels on their grid; equal ones become one.
void weigh(ModelRows& rows);

// The width of sums of costs, of which four cells are added up.
Width width_of_costs(Cost largest, int n_rows);

}  // namespace streed::thresholds
