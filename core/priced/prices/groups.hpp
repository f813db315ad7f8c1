// The rows of a node by their features, for prices of rows: equal rows have one price.
#pragma once

#include <cstdint>
#include <vector>

#include "priced/rows/rows.hpp"

namespace streed::priced {

struct Groups {
    int n = 0;
    int n_features = 0;
    int blocks = 0;  // numbers of 32 bits per group
    int n_labels = 0;
    std::vector<std::uint32_t> lanes;  // [group][block]: features
    std::vector<double> costs;         // [group][label], in units
    std::vector<double> most;          // the largest of these costs
    std::vector<std::int32_t> size;    // rows
    std::vector<std::int32_t> of_row;  // group of each row of the node
    double total = 0;                  // the sum of `most`

    double cost(std::uint32_t group, int label) const {
        return costs[static_cast<std::size_t>(group) * n_labels + label];
    }
};

Groups make_groups(const Rows& rows);

}  // namespace streed::priced
