// Leaves whose cost is a function of their statistics.
//
// The sums of the four cells of every pair of features come from the pair table as for any other leaf model; the function
// is called for thousands of cells at a time, so that it may as well be a NumPy function. Its costs are rounded to ticks
// at once: after that all sums are exact, and no tolerance is needed anywhere in the search.
#include <algorithm>
#include <cmath>
#include <limits>

#include "search.hpp"

namespace streed {
namespace {

constexpr double kNone = 1e300;         // stands for a leaf with too few rows
constexpr double kMostTicks = 0x1p48;   // of a leaf
constexpr std::size_t kCells = 1 << 13;  // in a call, about

}  // namespace

// The least cost over the labels in ticks, above what the rows must cost in any case.
void Search::leaf_costs(const double* sums, std::size_t n, double* ticks) const {
    const LeafFunction& leaf = *problem.function;
    const std::size_t labels = static_cast<std::size_t>(problem.n_labels);
    thread_local std::vector<double> costs;
    costs.assign(labels * n, std::numeric_limits<double>::quiet_NaN());
    try {
        leaf.costs(sums, n, costs.data());
    } catch (const Interrupted&) {
        interrupt();
    }
    const double* least = reduced.bounded ? sums + static_cast<std::size_t>(leaf.n_statistics) * n : nullptr;
    const double per_unit = 1 / reduced.grain;
    double bad = 0;
    for (std::size_t k = 0; k < n; ++k) ticks[k] = costs[k];
    for (std::size_t label = 1; label < labels; ++label)
        for (std::size_t k = 0; k < n; ++k) {
            const double cost = costs[label * n + k];
            bad += cost - cost;  // NaN and infinities stay
            ticks[k] = std::min(ticks[k], cost);
        }
    for (std::size_t k = 0; k < n; ++k) bad += ticks[k] - ticks[k];
    if (!(bad == 0)) {
        for (const double cost : costs)
            if (!std::isfinite(cost)) throw TaskFailure("a leaf costs " + std::to_string(cost) + ", but costs must be finite numbers");
    }
    double lowest = 0, highest = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const double above = least != nullptr ? ticks[k] - least[k] : ticks[k];
        ticks[k] = std::nearbyint(above * per_unit);
        lowest = std::min(lowest, ticks[k]);
        highest = std::max(highest, ticks[k]);
    }
    if (std::max(-lowest, highest) > kMostTicks)
        throw TaskFailure("the costs of leaves differ too much in size: one is more than 4000 times as large as those of the root and its children");
    if (least == nullptr || lowest >= 0) return;
    // Below the bound by rounding in the function, at most: its arguments show how large that can be.
    for (std::size_t k = 0; k < n; ++k) {
        double largest = 0;
        for (int m = 0; m < model.n_values; ++m) largest = std::max(largest, std::abs(sums[static_cast<std::size_t>(m) * n + k]));
        if (ticks[k] < -64 && ticks[k] / per_unit < -1e-9 * largest)
            throw TaskFailure("a leaf costs " + std::to_string(ticks[k] / per_unit + least[k]) + ", but by least_row its rows cost at least " + std::to_string(least[k]));
        ticks[k] = std::max(ticks[k], 0.0);
    }
}

// The node and both sides of each of its features as leaves, in one call.
void Worker::load_side_costs(Level& at) {
    const Node& node = at.node;
    const std::size_t active = node.active().size();
    const std::size_t n = 1 + 2 * active;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    cells_.resize(n * static_cast<std::size_t>(search_.model.n_values));
    cell_costs_.resize(n);
    for (int c = 0; c < search_.model.n_values; ++c) {
        double* out = cells_.data() + static_cast<std::size_t>(c) * n;
        const double total = node.total(c);
        out[0] = total;
        for (std::size_t a = 0; a < active; ++a) {
            const double with = node.single(c, node.active()[a]);
            out[1 + a] = total - with;
            out[1 + active + a] = with;
        }
    }
    search_.leaf_costs(cells_.data(), n, cell_costs_.data());
    at.leaf = cell_costs_[0];
    at.side_cost.assign(2 * stride, 0);
    for (std::size_t a = 0; a < active; ++a) {
        at.side_cost[static_cast<std::size_t>(node.active()[a])] = cell_costs_[1 + a];
        at.side_cost[stride + static_cast<std::size_t>(node.active()[a])] = cell_costs_[1 + active + a];
    }
}

// As Kernels::solve_pairs, with benefits that are negative costs. Every pair is looked at once, for both orders.
PairBenefit Worker::function_pairs(const Node& node, const PairProblem& problem, int nodes, double* per_root) {
    const LeafModel& model = search_.model;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::size_t values = static_cast<std::size_t>(model.n_values);
    const double* table = static_cast<const double*>(problem.table);
    const double* minuend = static_cast<const double*>(problem.minuend);
    const double* singles = static_cast<const double*>(problem.singles);
    const double* totals = static_cast<const double*>(problem.totals);
    const double least = model.min_samples_leaf;
    const double* sizes = singles + values * stride;
    const double all = totals[values];
    std::vector<std::size_t> lanes;
    for (const std::int32_t f : node.active())
        if (sizes[f] >= least && all - sizes[f] >= least) lanes.push_back(static_cast<std::size_t>(f));
    const std::size_t n = lanes.size();
    if (per_root != nullptr) std::fill(per_root, per_root + stride, -kNone);
    if (n == 0) return {{-kNone, -kNone, -kNone, -kNone}};

    // Both children of every root as leaves, then as splits: [right leaf][left leaf][right split][left split].
    const std::size_t capacity = std::max(kCells, 4 * n);
    cells_.resize(values * capacity);
    cell_costs_.resize(capacity);
    roots_.assign(4 * n, kNone);
    double* right_leaf = roots_.data();
    double* left_leaf = right_leaf + n;
    double* right_split = left_leaf + n;
    double* left_split = right_split + n;
    for (std::size_t c = 0; c < values; ++c) {
        for (std::size_t a = 0; a < n; ++a) {
            cells_[c * 2 * n + a] = singles[c * stride + lanes[a]];
            cells_[c * 2 * n + n + a] = totals[c] - singles[c * stride + lanes[a]];
        }
    }
    search_.leaf_costs(cells_.data(), 2 * n, right_leaf);

    struct Row {
        std::size_t root, begin;
    };
    std::vector<Row> rows;
    std::size_t used = 0;
    std::vector<char> invalid;
    const auto flush = [&] {
        // The statistics of the `used` cells stand `capacity` apart; the function wants them side by side.
        if (used != capacity)
            for (std::size_t c = 1; c < values; ++c) std::copy_n(cells_.data() + c * capacity, used, cells_.data() + c * used);
        search_.leaf_costs(cells_.data(), used, cell_costs_.data());
        for (const Row& row : rows) {
            const std::size_t a = row.root;
            const std::size_t m = n - a - 1;
            double* q0 = cell_costs_.data() + row.begin;  // both features
            double* q1 = q0 + m;                          // the root's only
            double* q2 = q1 + m;                          // the other one's only
            double* q3 = q2 + m;                          // none
            for (std::size_t b = 0; b < 4 * m; ++b)
                if (invalid[row.begin + b]) q0[b] = kNone;
            const double with = sizes[lanes[a]];
            double best_right = right_split[a], best_left = left_split[a];
            for (std::size_t b = 0; b < m; ++b) {
                const std::size_t j = a + 1 + b;
                double price_ij = 0, price_ji = 0;  // of j below i, of i below j
                if (problem.prices != nullptr) {
                    price_ij = problem.prices->second[lanes[j] * stride + lanes[a]];
                    price_ji = problem.prices->second[lanes[a] * stride + lanes[j]];
                }
                const double other = sizes[lanes[j]];
                best_right = std::min(best_right, q0[b] + q1[b] + price_ij * with);
                best_left = std::min(best_left, q2[b] + q3[b] + price_ij * (all - with));
                right_split[j] = std::min(right_split[j], q0[b] + q2[b] + price_ji * other);
                left_split[j] = std::min(left_split[j], q1[b] + q3[b] + price_ji * (all - other));
            }
            right_split[a] = best_right;
            left_split[a] = best_left;
        }
        rows.clear();
        used = 0;
    };
    invalid.assign(capacity, 0);
    if (nodes != 1) {
        for (std::size_t a = 0; a + 1 < n; ++a) {
            const std::size_t m = n - a - 1;
            if (used + 4 * m > capacity) {
                flush();
                search_.checkpoint(calling_thread_);
            }
            const std::size_t i = lanes[a];
            for (std::size_t c = 0; c <= values; ++c) {  // the last channel holds row counts
                const double* row = table + (c * stride + i) * stride;
                const double* whole = minuend == nullptr ? nullptr : minuend + (c * stride + i) * stride;
                const double* single = singles + c * stride;
                const double root = single[i];
                double* out = c < values ? cells_.data() + c * capacity + used : nullptr;
                for (std::size_t b = 0; b < m; ++b) {
                    const std::size_t j = lanes[a + 1 + b];
                    const double x = whole == nullptr ? row[j] : whole[j] - row[j];
                    const double cell[4] = {x, root - x, single[j] - x, totals[c] - root - single[j] + x};
                    for (std::size_t q = 0; q < 4; ++q) {
                        if (out != nullptr)
                            out[q * m + b] = cell[q];
                        else
                            invalid[used + q * m + b] = cell[q] < least;
                    }
                }
            }
            // The function is never asked about an empty leaf: it gets the whole node in its place.
            for (std::size_t b = 0; b < 4 * m; ++b)
                if (invalid[used + b])
                    for (std::size_t c = 0; c < values; ++c) cells_[c * capacity + used + b] = totals[c];
            rows.push_back({a, used});
            used += 4 * m;
        }
        if (used > 0) flush();
    }

    const double branch = model.branch_cost;
    double one = kNone, two = kNone, three = kNone;
    for (std::size_t a = 0; a < n; ++a) {
        const double price = branch + (problem.prices != nullptr ? all * problem.prices->root[lanes[a]] : 0.0);
        const double r = std::min(right_leaf[a], right_split[a] + branch);
        const double l = std::min(left_leaf[a], left_split[a] + branch);
        const double with_one = right_leaf[a] + left_leaf[a] + price;
        const double with_two = std::min(r + left_leaf[a], right_leaf[a] + l) + price;
        const double with_three = r + l + price;
        one = std::min(one, with_one);
        two = std::min(two, with_two);
        three = std::min(three, with_three);
        if (per_root != nullptr) per_root[lanes[a]] = -(nodes >= 3 || nodes == 0 ? with_three : nodes == 2 ? with_two : with_one);
    }
    return {{-kNone, -one, -two, -three}};
}

}  // namespace streed
