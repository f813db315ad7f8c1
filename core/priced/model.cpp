// The lowering of a problem with priced nodes: useful labels, whole costs, rows in blocks.
#include "priced/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/bits.hpp"

namespace streed::priced {
namespace {

// Costs of the rows under the labels that can be of use, in units of `grain`.
struct Costs {
    std::size_t n_labels = 0;
    std::vector<double> table;  // [row][label]
    double grain = 1;
};

// Whole numbers as they are, real ones on a grid so fine that the rounding is far below the precision of the
// sum, and so coarse that every sum and difference is exact.
double grain_of(const std::vector<double>& values) {
    double total = 0;
    bool whole = true;
    for (const double v : values) {
        total += std::abs(v);
        whole = whole && v == std::floor(v);
    }
    return (whole && total < 0x1p48) || total == 0 ? 1.0 : std::ldexp(1.0, std::ilogb(total) + 1 - 48);
}

// Labels that no row has are never better than others. Weights that are all the same are the unit.
Costs of_errors(const Problem& problem) {
    const std::size_t n = problem.n_rows;
    std::vector<std::int32_t> place(static_cast<std::size_t>(problem.n_labels), -1);
    Costs out;
    for (std::size_t r = 0; r < n; ++r) {
        std::int32_t& at = place[static_cast<std::size_t>(problem.labels[r])];
        if (at < 0) at = static_cast<std::int32_t>(out.n_labels++);
    }
    std::vector<double> weights(problem.weights, problem.weights + n);
    const bool equal = std::all_of(weights.begin(), weights.end(), [&](double w) { return w == weights[0]; });
    out.grain = equal ? weights[0] : grain_of(weights);
    out.table.resize(n * out.n_labels);
    for (std::size_t r = 0; r < n; ++r)
        for (std::size_t k = 0; k < out.n_labels; ++k)
            out.table[r * out.n_labels + k] = static_cast<std::size_t>(
                                                  place[static_cast<std::size_t>(problem.labels[r])]) == k
                                                  ? 0
                                                  : std::nearbyint(weights[r] / out.grain);
    return out;
}

Costs of_costs(const Problem& problem) {
    Costs out;
    out.n_labels = static_cast<std::size_t>(problem.n_labels);
    out.table.assign(problem.costs, problem.costs + problem.n_rows * out.n_labels);
    out.grain = grain_of(out.table);
    for (double& cost : out.table) cost = std::nearbyint(cost / out.grain);
    return out;
}

// Rows above their least cost; those to which labels make no difference are left out.
struct Weighed {
    std::vector<std::uint32_t> rows;
    std::vector<double> weights;
    double unavoidable = 0;
};

Weighed weigh(Costs& costs, std::size_t n) {
    Weighed out;
    for (std::size_t r = 0; r < n; ++r) {
        double* row = costs.table.data() + r * costs.n_labels;
        const double least = *std::min_element(row, row + costs.n_labels),
                     most = *std::max_element(row, row + costs.n_labels);
        for (std::size_t k = 0; k < costs.n_labels; ++k) row[k] -= least;
        out.unavoidable += least;
        if (most == least) continue;
        out.rows.push_back(static_cast<std::uint32_t>(r));
        out.weights.push_back(most - least);
    }
    return out;
}

// Sixty-four numbers as a square of bits, turned (Hacker's Delight, section 7-3).
void transpose(std::uint64_t (&square)[64]) {
    std::uint64_t mask = 0x00000000ffffffffull;
    for (int half = 32; half != 0; half /= 2, mask ^= mask << half)
        for (int k = 0; k < 64; k = ((k | half) + 1) & ~half) {
            const std::uint64_t swapped = ((square[k] >> half) ^ square[k | half]) & mask;
            square[k] ^= swapped << half;
            square[k | half] ^= swapped;
        }
}

void fill_bits(const Root& root, Rows& rows) {
    for (int c = 0, begin = 0, row = 0; c < 2; begin += rows.words[c], row += rows.n[c], ++c)
        for (int w = 0; w < rows.words[c]; ++w)
            for (int part = 0; part < root.width; ++part) {
                std::uint64_t square[64] = {};
                for (int r = 0; r < 64 && 64 * w + r < rows.n[c]; ++r)
                    square[r] = root.packed[static_cast<std::size_t>(row + 64 * w + r) * root.width + part];
                transpose(square);
                std::uint64_t* out = rows.bits() + static_cast<std::size_t>(begin + w) * rows.stride +
                                     64 * part;
                for (int f = 0; f < 64 && 64 * part + f < rows.stride; ++f) out[f] = square[f];
            }
}

// Rows of the search in their order: by label where they are counted.
void place_rows(const Problem& problem, const Costs& costs, const Weighed& weighed, Root& root) {
    Rows& rows = *root.rows;
    std::vector<std::uint32_t> order;
    if (rows.n_values == 0) {
        for (int c = 0; c < 2; ++c)
            for (const std::uint32_t r : weighed.rows)
                if ((costs.table[r * costs.n_labels] == 0) == (c == 0)) {
                    order.push_back(r);
                    ++rows.n[c];
                }
    } else {
        order = weighed.rows;
        rows.n[0] = static_cast<int>(order.size());
        for (std::size_t k = 0; k < order.size(); ++k) {
            const double* row = costs.table.data() + order[k] * costs.n_labels;
            rows.values.insert(rows.values.end(), row, row + costs.n_labels);
            rows.values.push_back(weighed.weights[k]);
        }
    }
    root.n_rows = order.size();
    root.width = static_cast<int>((problem.n_features + 63) / 64);
    const auto width = static_cast<std::size_t>(root.width);
    const Words packed = pack_rows(problem.features, problem.n_rows, problem.n_features, width);
    root.packed.resize(order.size() * width);
    for (std::size_t k = 0; k < order.size(); ++k)
        std::copy_n(packed.begin() + static_cast<std::ptrdiff_t>(order[k] * width), width,
                    root.packed.begin() + static_cast<std::ptrdiff_t>(k * width));
    rows.ids.resize(order.size());
    std::iota(rows.ids.begin(), rows.ids.end(), 0u);
    rows.n_features = static_cast<int>(problem.n_features);
    rows.features.resize(problem.n_features);
    std::iota(rows.features.begin(), rows.features.end(), 0);
    rows.allocate();
    fill_bits(root, rows);
}

}  // namespace

Root make_root(const Problem& problem, double branch_cost, bool support) {
    Costs costs = problem.costs != nullptr ? of_costs(problem) : of_errors(problem);
    const Weighed weighed = weigh(costs, problem.n_rows);
    Root root;
    const std::vector<double>& weights = weighed.weights;
    const bool equal = std::all_of(weights.begin(), weights.end(), [&](double w) { return w == weights[0]; });
    const bool counted = costs.n_labels <= 2 && equal;
    root.n_values = root.rows->n_values = counted ? 0 : static_cast<int>(costs.n_labels) + 1;
    root.base = costs.grain * weighed.unavoidable;
    if (counted && !weights.empty()) costs.grain *= weights[0];
    place_rows(problem, costs, weighed, root);
    root.total = counted ? static_cast<double>(weights.size())
                         : std::accumulate(weights.begin(), weights.end(), 0.0);
    const double spread = std::max({1.0, root.total, branch_cost / costs.grain});
    root.unit = std::ldexp(1.0, std::clamp(49 - std::ilogb(spread), 0, 40));
    root.tick = costs.grain / root.unit;
    root.branch = std::max(1.0, std::nearbyint(branch_cost / costs.grain * root.unit));
    root.support = support ? std::floor(root.branch / root.unit) + 1 : 1;
    return root;
}

double largest_weight(const Problem& problem) {
    double largest = 0;
    const auto labels = static_cast<std::size_t>(problem.n_labels);
    for (std::size_t r = 0; r < problem.n_rows; ++r) {
        if (problem.costs == nullptr) {
            largest = std::max(largest, problem.weights[r]);
            continue;
        }
        const auto [least, most] = std::minmax_element(problem.costs + r * labels,
                                                       problem.costs + (r + 1) * labels);
        largest = std::max(largest, *most - *least);
    }
    return largest;
}

}  // namespace streed::priced
