// The benefit of a single leaf; that of pairs is in kernels/ (roots.hpp, splits.hpp).
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"

namespace streed {

// In ticks; `sum` gives the leaf's sum of a channel. There is none for leaf functions.
template <class SumOf>
double leaf_benefit(const LeafModel& model, SumOf&& sum) {
    if (model.kind == LeafKind::signed_difference) return model.ticks * std::abs(sum(0));
    double best = model.kind == LeafKind::largest_gain ? std::max(sum(0), 0.0) : sum(0);
    if (model.scale != nullptr) best *= model.scale[0];
    for (int k = 1; k < model.n_values; ++k)
        best = std::max(best, (model.scale != nullptr ? model.scale[k] : 1.0) * sum(k));
    return model.ticks * best;
}

}  // namespace streed
