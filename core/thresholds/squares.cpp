// Squared error in whole numbers. Weights and sums of targets lie on grids of powers of two on which all sums
// of rows are exact. Costs of leaves are rounded to ticks, 2^-36 of what a leaf for all rows costs, and are
// exact from there on: the tolerance of the other engine (leaves/native/leaf.hpp). The squares of rows are
// rounded up, to 2^-14 of a tick: so no row makes a leaf cheaper, whatever was rounded, and the rules for
// intervals hold up to a tick per leaf.
//
// A row that is taken away saves at most its weight times the square of the largest distance of its target to
// any other, since means lie between these: that is its weight in the rules for intervals.
#include "thresholds/squares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace streed::thresholds {
namespace {

// Whole numbers stay; others are put on a grid on which the sum of all sizes is below 2^50.
double unit_of(const std::vector<double>& values) {
    double total = 0;
    bool whole = true;
    for (const double value : values) {
        total += std::abs(value);
        whole = whole && value == std::floor(value);
    }
    return (whole && total < 0x1p50) || total == 0 ? 1.0 : std::ldexp(1.0, std::ilogb(total) - 49);
}

}  // namespace

SquareRows make_square_rows(const Problem& problem) {
    const std::size_t n = problem.n_rows;
    SquareRows out;
    std::vector<double> weights(n), sums(n);
    for (std::size_t r = 0; r < n; ++r) {
        weights[r] = problem.statistics[3 * r];
        sums[r] = problem.statistics[3 * r + 1];
        if (!(weights[r] > 0)) continue;
        out.base += std::max(0.0, problem.statistics[3 * r + 2] - sums[r] * sums[r] / weights[r]);
    }
    const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) /
                        std::max(std::accumulate(weights.begin(), weights.end(), 0.0), 0x1p-1000);
    for (std::size_t r = 0; r < n; ++r) sums[r] -= mean * weights[r];  // no cost depends on it
    const double weight_unit = unit_of(weights), sum_unit = unit_of(sums);
    double total = 0, low = INFINITY, high = -INFINITY;
    for (std::size_t r = 0; r < n; ++r) {
        weights[r] = std::nearbyint(weights[r] / weight_unit);
        sums[r] = weights[r] > 0 ? std::nearbyint(sums[r] / sum_unit) : 0.0;
        if (!(weights[r] > 0)) continue;
        total += sums[r] * sums[r] / weights[r];
        low = std::min(low, sums[r] / weights[r]);
        high = std::max(high, sums[r] / weights[r]);
    }
    // Of the loss of all rows, about their mean.
    const double parts = total > 0 ? std::ldexp(1.0, 36 - std::ilogb(total)) / kPartsOfTick : 1.0;
    out.factor = parts;
    out.tick = sum_unit * sum_unit / weight_unit / (parts * kPartsOfTick);
    out.numbers.resize(3 * n);
    out.most.resize(n);
    for (std::size_t r = 0; r < n; ++r) {
        double* own = out.numbers.data() + 3 * r;
        own[0] = weights[r];
        own[1] = sums[r];
        own[2] = weights[r] > 0 ? std::ceil(sums[r] * sums[r] / weights[r] * parts) : 0.0;
        if (!(weights[r] > 0)) continue;
        const double own_mean = sums[r] / weights[r], far = std::max(own_mean - low, high - own_mean);
        out.most[r] = std::ceil(std::min(weights[r] * far * far * parts * kPartsOfTick * (1 + 1e-9), 0x1p37) +
                                2);
    }
    return out;
}

// One pass per column, with the formula of the kernel (kernels/squares.hpp).
Stump Worker::best_square_split(Node& node) {
    Stump best;
    const double all = static_cast<double>(node.totals()[0]), sum = static_cast<double>(node.totals()[1]),
                 square = static_cast<double>(node.totals()[2]);
    double most = -1, any = -1;
    for (int j = 0; j < node.n_columns(); ++j) {
        if (node.constant(j)) continue;
        double a = 0, c = 0;
        for (int position = 1; position < node.size(); ++position) {
            const double* row = node.costs() + 3 * static_cast<std::size_t>(node.row_at(j, position - 1));
            a += row[0];
            c += row[1];
            if (!node.ends_at(j, position)) continue;
            const double b = all - a, d = sum - c;
            const double two = (c * c * b + d * d * a) / std::max(a * b, 0x1p-200);
            any = std::max(any, two);
            if (two <= most || std::min(position, node.size() - position) < search_.least_rows) continue;
            most = two;
            best.column = j;
            best.position = position;
        }
    }
    if (any >= 0) best.relaxed = search_.cost(square_ticks(square, any * node.factor()));
    if (most >= 0) best.value = search_.cost(square_ticks(square, most * node.factor()));
    return best;
}

}  // namespace streed::thresholds
