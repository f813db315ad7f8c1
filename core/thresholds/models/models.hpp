// The registry of row models: what the rows of a problem over thresholds may be.
#pragma once

#include <string>

#include "thresholds/models/row_model.hpp"

namespace streed::thresholds {

const RowModel& labels_model();   // a label and a weight each (labels.cpp)
const RowModel& costs_model();    // a cost for every label (costs.cpp)
const RowModel& squares_model();  // weight, weighted target, weighted square of the target (squares.cpp)

// Models of rows with numbers, by the names that Python uses.
struct NamedModel {
    const char* name;
    const RowModel& (*model)();
    std::size_t n_numbers;  // of a row; 0: one for every label
    bool weighted;          // the first number of a row is its weight, which is above zero
};
constexpr NamedModel kNamedModels[] = {
    {"costs", &costs_model, 0, false},
    {"squares", &squares_model, 3, true},
};

}  // namespace streed::thresholds
