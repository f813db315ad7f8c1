// Statistics and grids of mixed problems: rows are merged, and costs become whole ticks.
#include "front/mixed/leaves.hpp"

#include <algorithm>
#include <cmath>

#include "data/bits.hpp"
#include "data/units.hpp"
#include "leaves/leaf_models.hpp"

namespace streed {
namespace {

constexpr double kMostTicks = 0x1p48;  // of a leaf

}  // namespace

MixedLeaves::MixedLeaves(const MixedProblem& problem, Control& control)
    : problem_(problem), control_(control) {
    const std::size_t n = problem.n_rows;
    const std::size_t width = (problem.n_features + 63) / 64;
    std::vector<std::int32_t> every(problem.n_features);
    for (std::size_t f = 0; f < every.size(); ++f) every[f] = static_cast<std::int32_t>(f);
    std::vector<std::uint32_t> group, first;
    const std::size_t groups = group_rows(pack_rows(problem.features, n, problem.n_features, width), n, width,
                                          every, true, group, first);
    for (const MixedPart& part : problem.parts) {
        first_.push_back(n_statistics_);
        n_statistics_ += part.n_statistics;
    }
    int columns = n_statistics_;
    for (const MixedPart& part : problem.parts) {
        const bool known = !part.maximum && (!part.costs || part.least != nullptr);
        least_.push_back(known ? columns++ : -1);
        rising_.push_back(part.costs
                              ? part.least != nullptr &&
                                    std::all_of(part.least, part.least + n, [](double v) { return v >= 0; })
                              : std::all_of(part.statistics,
                                            part.statistics + n * static_cast<std::size_t>(part.n_statistics),
                                            [](double v) { return v >= 0; }));
    }
    const std::size_t size = static_cast<std::size_t>(columns);
    table_.assign(n * size, 0);
    for (std::size_t p = 0; p < problem.parts.size(); ++p) {
        const MixedPart& part = problem.parts[p];
        const std::size_t s = static_cast<std::size_t>(part.n_statistics);
        for (std::size_t r = 0; r < n; ++r)
            std::copy_n(part.statistics + r * s, s,
                        table_.data() + r * size + static_cast<std::size_t>(first_[p]));
    }
    grain_.assign(problem.parts.size(), 1);
    play_.assign(problem.parts.size(), 0);
    for (std::size_t p = 0; p < problem.parts.size(); ++p) {
        if (problem.parts[p].costs) continue;
        find_label_grain(p);
        const std::size_t s = static_cast<std::size_t>(problem.parts[p].n_statistics);
        for (std::size_t r = 0; r < n && grain_[p] != 1; ++r)
            for (std::size_t m = 0; m < s; ++m) {
                double& cost = table_[r * size + static_cast<std::size_t>(first_[p]) + m];
                cost = std::nearbyint(cost / grain_[p]) * grain_[p];
            }
    }
    nothing_.n_statistics = columns;
    nothing_.costs = [](const double*, std::size_t leaves, double* costs) {
        std::fill(costs, costs + leaves, 0.0);
    };
    add_least(group, groups);
    nothing_.statistics = table_.data();
    rows_.features = problem.features;
    rows_.n_rows = n;
    rows_.n_features = problem.n_features;
    rows_.function = &nothing_;
    const ReducedProblem reduced = reduce(rows_, {true, true, true});
    units_ = reduced.units;
    if (units_.empty()) units_.assign(size, 1);
    for (std::size_t p = 0; p < problem.parts.size(); ++p)
        if (problem.parts[p].costs) find_grain(p, reduced);
}

// What rows must cost: the least of a function, else what the best label costs for all rows with the same
// features, which end in the same leaf. It stands at the first of them.
void MixedLeaves::add_least(const std::vector<std::uint32_t>& group, std::size_t groups) {
    const std::size_t size = static_cast<std::size_t>(nothing_.n_statistics);
    const std::size_t labels = static_cast<std::size_t>(problem_.n_labels);
    for (std::size_t p = 0; p < problem_.parts.size(); ++p) {
        if (least_[p] < 0) continue;
        const MixedPart& part = problem_.parts[p];
        std::vector<double> sums(part.costs ? 0 : groups * labels);
        for (std::size_t r = 0; r < problem_.n_rows && !part.costs; ++r)
            for (std::size_t k = 0; k < labels; ++k)
                sums[group[r] * labels + k] += part.statistics[r * labels + k];
        std::vector<bool> seen(groups);
        for (std::size_t r = 0; r < problem_.n_rows; ++r) {
            double& out = table_[r * size + static_cast<std::size_t>(least_[p])];
            if (part.costs)
                out = part.least[r];
            else if (!seen[group[r]])
                out = *std::min_element(&sums[group[r] * labels], &sums[group[r] * labels] + labels);
            seen[group[r]] = true;
        }
    }
}

double MixedLeaves::most_nodes() const {
    const Options& options = control_.options;
    return std::min({static_cast<double>(full_tree(options.max_depth)),
                     static_cast<double>(options.max_nodes), static_cast<double>(problem_.n_rows)});
}

// Whole label costs are counted in ones, real ones on a fine grid.
void MixedLeaves::find_label_grain(std::size_t p) {
    const MixedPart& part = problem_.parts[p];
    const std::size_t s = static_cast<std::size_t>(part.n_statistics);
    double total = part.branch_cost * std::max(1.0, most_nodes());
    bool whole = part.branch_cost == std::floor(part.branch_cost);
    for (std::size_t r = 0; r < problem_.n_rows; ++r) {
        double size = 0;
        for (std::size_t k = 0; k < s; ++k) {
            const double cost = part.statistics[r * s + k];
            size = std::max(size, std::abs(cost));
            whole = whole && cost == std::floor(cost);
        }
        total += size;
    }
    grain_[p] = grid_of(total, whole, 46);
    if (grain_[p] == 1) return;
    play_[p] = static_cast<double>(problem_.n_rows) / 2 + most_nodes() + 2;
}

// Functions show the size of their costs at the root and just below it.
void MixedLeaves::find_grain(std::size_t p, const ReducedProblem& reduced) {
    const MixedPart& part = problem_.parts[p];
    const std::size_t n = problem_.n_rows;
    const std::size_t s = static_cast<std::size_t>(part.n_statistics);
    const std::size_t cells = 1 + 2 * reduced.features.size();
    const std::size_t labels = static_cast<std::size_t>(problem_.n_labels);
    std::vector<double> sums(s * cells), costs(labels * cells);
    for (std::size_t c = 0; c < cells; ++c) {
        const std::size_t feature = c == 0 ? 0 : static_cast<std::size_t>(reduced.features[(c - 1) / 2]);
        for (std::size_t r = 0; r < n; ++r) {
            if (c > 0 && (problem_.features[r * problem_.n_features + feature] != 0) != (c % 2 == 0))
                continue;
            for (std::size_t m = 0; m < s; ++m) sums[m * cells + c] += part.statistics[r * s + m];
        }
    }
    part.costs(sums.data(), cells, costs.data());
    double largest = part.branch_cost, size = 1;
    for (const double cost : costs)
        if (std::isfinite(cost)) largest = std::max(largest, std::abs(cost));
    for (const double limit : {part.lower, part.upper})
        if (std::isfinite(limit)) largest = std::max(largest, std::abs(limit));
    for (const double sum : sums) size = std::max(size, std::abs(sum));
    grain_[p] = largest > 0 ? std::ldexp(1.0, std::ilogb(largest) + 1 - 36)
                            : std::ldexp(1.0, std::ilogb(size) + 1 - 24);
    play_[p] = most_nodes() + 2;
}

void MixedLeaves::refuse(std::size_t p, std::size_t leaf, const double* sums, std::size_t n,
                         double cost) const {
    std::vector<double> own;
    for (int m = 0; m < problem_.parts[p].n_statistics; ++m)
        own.push_back(sums[static_cast<std::size_t>(m) * n + leaf]);
    std::string cause = "a leaf costs " + std::to_string(cost) + ", but costs must be finite numbers";
    if (std::isfinite(cost))
        cause =
            "the costs of leaves differ too much in size: one is more than 4000 times as large as those of "
            "the root and its children";
    TaskFailure failure(cause, std::move(own));
    failure.part = static_cast<int>(p);
    throw failure;
}

void MixedLeaves::ask(const double* sums, std::size_t n, std::vector<double>& ticks) {
    const std::size_t labels = static_cast<std::size_t>(problem_.n_labels);
    ticks.resize(problem_.parts.size() * labels * n);
    scaled_.resize(static_cast<std::size_t>(n_statistics_) * n);
    for (std::size_t c = 0; c < static_cast<std::size_t>(n_statistics_); ++c)
        for (std::size_t k = 0; k < n; ++k) scaled_[c * n + k] = sums[c * n + k] * units_[c];
    for (std::size_t p = 0; p < problem_.parts.size(); ++p) {
        const MixedPart& part = problem_.parts[p];
        const double* own = scaled_.data() + static_cast<std::size_t>(first_[p]) * n;
        const double* costs = own;
        if (part.costs) {
            costs_.assign(labels * n, std::numeric_limits<double>::quiet_NaN());
            try {
                part.costs(own, n, costs_.data());
            } catch (const Interrupted&) {
                control_.status = Status::interrupted;
                throw Stopped{};
            }
            costs = costs_.data();
        }
        double* out = ticks.data() + p * labels * n;
        const double per_unit = 1 / grain_[p];
        double wrong = 0;
        for (std::size_t k = 0; k < labels * n; ++k) {
            out[k] = std::nearbyint(costs[k] * per_unit);
            wrong += std::abs(out[k]) <= kMostTicks ? 0 : 1;
        }
        for (std::size_t k = 0; k < labels * n && wrong > 0; ++k)
            if (!(std::abs(out[k]) <= kMostTicks)) refuse(p, k % n, own, n, costs[k]);
    }
}

}  // namespace streed
