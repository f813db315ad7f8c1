// Native leaf functions in the search: single leaves for the bindings and the finished tree, unavoidable
// costs, pair problems.
#include "native_leaf.hpp"

#include <algorithm>
#include <cmath>

#include "../search/search.hpp"
#include "waste.hpp"

namespace streed {

double native_leaf_cost(NativeLeaf form, const double* sums, std::size_t n_values) {
    double cost;
    if (form == NativeLeaf::squares) {
        double squares = 0;
        for (std::size_t m = 1; m + 1 < n_values; ++m) squares += sums[m] * sums[m];
        cost = sums[0] > 0 ? sums[n_values - 1] - squares / sums[0] : 0.0;
    } else {
        cost = sums[2] - (sums[0] > 0 ? sums[0] * std::log(sums[0] / sums[1]) : 0.0);
    }
    return std::max(cost, 0.0);
}

std::vector<double> squares_weights(const std::vector<double>& sums, std::size_t groups,
                                    std::size_t n_values) {
    std::vector<double> weights(groups), low(n_values, 1e300), high(n_values, -1e300);
    for (std::size_t g = 0; g < groups; ++g) {
        for (std::size_t m = 1; m + 1 < n_values && sums[g * n_values] > 0; ++m) {
            const double mean = sums[g * n_values + m] / sums[g * n_values];
            low[m] = std::min(low[m], mean);
            high[m] = std::max(high[m], mean);
        }
    }
    for (std::size_t g = 0; g < groups; ++g) {
        double far = 0;
        for (std::size_t m = 1; m + 1 < n_values && sums[g * n_values] > 0; ++m) {
            const double mean = sums[g * n_values + m] / sums[g * n_values];
            const double most = std::max(mean - low[m], high[m] - mean);
            far += most * most;
        }
        weights[g] = sums[g * n_values] * far * (1 + 1e-9);
    }
    return weights;
}

NativeModel Search::native_model() const {
    const double* units = reduced.units.empty() ? nullptr : reduced.units.data();
    return {problem.function->native, model.n_values, units, 1 / reduced.grain,
            static_cast<double>(options.min_samples_leaf)};
}

void Worker::native_table(const Level& at, const Frame& frame, const std::uint64_t* filter,
                          const void* singles, void* table, bool half) {
    account(indices_.reserve(4 * (static_cast<std::size_t>(frame.words) * 64 + 64)));
    search_.kernels.native_table(frame, at.row_masks.as<std::uint64_t>(), filter,
                                 static_cast<const double*>(singles), static_cast<double*>(table),
                                 indices_.as<std::uint32_t>(), half);
}

// A pair problem whose cells are never stored.
PairBenefit Worker::native_pairs(const Node& node, const PairProblem& problem, int nodes, double* per_root) {
    constexpr double kNone = 1e300;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    roots_.resize(4 * stride + 16);
    const NativeSplits splits{roots_.data(), roots_.data() + stride, roots_.data() + 2 * stride,
                              roots_.data() + 3 * stride};
    search_.kernels.native_splits(node.frame(), problem, search_.native_model(), splits);
    const double branch = search_.model.branch_cost;
    double one = kNone, two = kNone, three = kNone;
    if (per_root != nullptr) std::fill(per_root, per_root + stride, -kNone);
    for (const std::int32_t lane : node.active()) {
        const std::size_t l = static_cast<std::size_t>(lane);
        const double right = splits.right_leaf[l], left = splits.left_leaf[l];
        if (right >= kNone || left >= kNone) continue;
        const double r = std::min(right, splits.right[l] + branch);
        const double l_ = std::min(left, splits.left[l] + branch);
        const double with_one = left + right + branch;
        const double with_two = std::min(left + r, l_ + right) + branch;
        const double with_three = l_ + r + branch;
        one = std::min(one, with_one);
        two = std::min(two, with_two);
        three = std::min(three, with_three);
        if (per_root != nullptr)
            per_root[l] = -(nodes >= 3 || nodes == 0 ? with_three : nodes == 2 ? with_two : with_one);
    }
    return {{-kNone, -one, -two, -three}};
}

}  // namespace streed
