// The best split of rows whose leaves are compared label by label.
#pragma once

#include <algorithm>
#include <vector>

#include "thresholds/models/row_model.hpp"

namespace streed::thresholds {

// Row by row, for all labels: one split is asked for at the ends of a search only. `add(sums, row)` adds a
// row to the sums of the labels, `cost(below)` is that of two leaves, one of which has such sums.
template <class Add, class LeafCosts>
Stump best_split_of_labels(const Node& node, int least_rows, Add&& add, LeafCosts&& cost) {
    Stump best;
    std::vector<Cost> below(node.totals().size());
    for (int j = 0; j < node.n_columns(); ++j) {
        if (node.constant(j)) continue;
        std::fill(below.begin(), below.end(), 0);
        for (int position = 1; position < node.size(); ++position) {
            add(below, node.row_at(j, position - 1));
            if (!node.ends_at(j, position)) continue;
            const Cost own = cost(below);
            best.relaxed = std::min(best.relaxed, own);
            if (std::min(position, node.size() - position) < least_rows || own >= best.value) continue;
            best.value = own;
            best.column = j;
            best.position = position;
        }
    }
    return best;
}

}  // namespace streed::thresholds
