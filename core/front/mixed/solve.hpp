// Fronts of components of any kind: sums or maxima over the leaves, of label costs or of functions of
// statistics.
//
// Nothing is relative here and no scalar search guides: values are the costs of leaves, joined by the sum or
// the maximum of each component.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "front/task.hpp"

namespace streed {

// One component, minimised. An objective has no limits.
struct MixedPart {
    const double* statistics = nullptr;  // n_rows x n_statistics
    int n_statistics = 0;
    // Costs [label][leaf] of `n` leaves with the sums [statistic][leaf]; empty: the statistics are the costs
    // under the labels.
    std::function<void(const double* sums, std::size_t n, double* costs)> costs;
    const double* least =
        nullptr;             // what a row adds to the cost of a leaf at least, where a function is known to
    bool maximum = false;    // over the leaves, instead of their sum
    double branch_cost = 0;  // of sums
    bool objective = true;
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
};

struct MixedProblem {
    const std::uint8_t* features = nullptr;  // n_rows x n_features, row by row
    std::size_t n_rows = 0;
    std::size_t n_features = 0;
    int n_labels = 1;
    std::vector<MixedPart> parts;
};

// With one objective one tree, the best within the limits; with several all trees whose values are not
// dominated (those of limited parts count as well). No tree and `complete`: there is none within the limits.
struct MixedResult {
    std::vector<Tree> trees;
    bool complete = false;
    double lower_bound = -std::numeric_limits<double>::infinity();  // of a single objective
    Status status = Status::optimal;
    double seconds = 0;
    Counters statistics;
};

// Throws TaskFailure, with the number of the part in `part`, and what the functions throw.
MixedResult solve_mixed(const MixedProblem& problem, const Options& options);

}  // namespace streed
