// What views show of the targets of a regression: their mean, spread and distribution at every node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/route.hpp"

namespace streed {

// Targets of the rows, [row][output], and the weight of each row.
struct TargetRows {
    const double* targets = nullptr;
    std::size_t n_outputs = 1;
    const double* weights = nullptr;
    const std::int64_t* leaf = nullptr;  // where each row ends
    std::size_t n = 0;                   // at least one
};

struct NodeTargets {
    std::vector<double> mean, spread;  // [node][output], the standard deviation
    std::vector<double> edges;         // of bars of equal width from the least to the greatest target
    std::vector<double> counts;        // [node][bar], weight of the rows by their first target
};

// Of every node, with the rows of all leaves below it. There are `bars` bars, or one if the targets are too
// close to one another for that, or too far apart.
NodeTargets node_targets(const std::vector<Fork>& forks, const TargetRows& rows, std::size_t bars);

}  // namespace streed
