// Leaves whose cost is a function of their thread_.statistics.
//
// The sums of the four cells of every pair of features come from the pair table as for any other leaf model;
// the function is called for thousands of cells at a time, so that it may as well be a NumPy function. Its
// costs are rounded to ticks at once: after that all sums are exact, and no tolerance is needed anywhere in
// the search.
#include "search/pairs/leaf_functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace streed {
namespace {

constexpr double kNone = 1e300;        // stands for a leaf with too few rows
constexpr double kMostTicks = 0x1p48;  // of a leaf
// In a call, about: with 2^10 a NumPy function on german-credit takes 1.4 times as long at depth 3, with 2^14
// 0.97 times, in four times the memory.
constexpr std::size_t kCells = 1 << 12;

}  // namespace

// The least cost over the labels in ticks, less the unavoidable cost of the rows.
void Search::leaf_costs(const double* sums, std::size_t n, double* ticks) const {
    if (leaf_table.ready()) {
        const std::vector<std::int32_t>& factors = leaf_table.factors();
        for (std::size_t k = 0; k < n; ++k) {
            double position = 0;
            for (std::size_t m = 0; m < factors.size(); ++m) position += factors[m] * sums[m * n + k];
            ticks[k] = leaf_table.costs()[static_cast<std::size_t>(position)];
            if (ticks[k] == LeafTable::kWrong) wrong_cost(sums, n);
        }
        return;
    }
    ask_costs(sums, n, ticks);
}

// Sums as the function knows them.
const double* Search::in_units(const double* sums, std::size_t n, std::vector<double>& out) const {
    out.resize(reduced.units.size() * n);
    for (std::size_t m = 0; m < reduced.units.size(); ++m)
        for (std::size_t k = 0; k < n; ++k) out[m * n + k] = sums[m * n + k] * reduced.units[m];
    return out.data();
}

void Search::ask_costs(const double* sums, std::size_t n, double* ticks) const {
    const LeafFunction& leaf = *problem.function;
    thread_local std::vector<double> costs, scaled;
    if (reduced.native) return kernels.native_costs(native_model(), sums, n, ticks);
    if (!reduced.units.empty()) sums = in_units(sums, n, scaled);
    costs.resize(static_cast<std::size_t>(problem.n_labels) * n);
    costs.front() = costs.back() =
        std::numeric_limits<double>::quiet_NaN();  // compiled code that failed leaves them alone
    try {
        leaf.costs(sums, n, costs.data());
    } catch (const Interrupted&) {
        stop(Status::interrupted);
        throw Stopped{};
    }
    const double* least = reduced.shifted ? sums + static_cast<std::size_t>(leaf.n_statistics) * n : nullptr;
    const double lowest = kernels.round_costs(costs.data(), problem.n_labels, least, n, 1 / reduced.grain,
                                              kMostTicks, ticks);
    const auto refuse = [&](std::size_t k, const std::string& cause) {
        std::vector<double> own;
        for (std::size_t m = 0; m < static_cast<std::size_t>(leaf.n_statistics); ++m)
            own.push_back(sums[m * n + k]);
        throw TaskFailure(cause, std::move(own));
    };
    if (std::isnan(lowest)) {
        for (std::size_t k = 0; k < costs.size(); ++k)
            if (!std::isfinite(costs[k]))
                refuse(k % n,
                       "a leaf costs " + std::to_string(costs[k]) + ", but costs must be finite numbers");
        for (std::size_t k = 0; k < n; ++k)
            if (std::abs(ticks[k]) > kMostTicks)
                refuse(k,
                       "the costs of leaves differ too much in size: one is more than 4000 times as large as "
                       "those of the root and its children");
    }
    if (!reduced.bounded || lowest >= 0) return;
    // Below the bound by rounding in the function, at most: its arguments show how large that can be.
    for (std::size_t k = 0; k < n; ++k) {
        if (ticks[k] >= 0) continue;
        double largest = 0;
        for (int m = 0; m < model.n_values; ++m)
            largest = std::max(largest, std::abs(sums[static_cast<std::size_t>(m) * n + k]));
        if (ticks[k] < -64 && ticks[k] * reduced.grain < -1e-9 * largest)
            refuse(k, "a leaf costs less than least_row allows for its rows");
        ticks[k] = 0;
    }
}

// The table holds a cost that is wrong. The function is asked again, and its answer is refused with its
// reason.
void Search::wrong_cost(const double* sums, std::size_t n) const {
    std::vector<double> ticks(n);
    ask_costs(sums, n, ticks.data());
    throw TaskFailure("the costs of leaves are not the same when they are asked for again");
}

void Search::fill_leaf_table() {
    if (reduced.shifted || options.max_depth < 2) return;
    const auto evaluate = [&](const double* sums, std::size_t n, double* ticks) {
        if (elapsed() > options.time_limit / 2) throw TaskFailure("too slow for a table");
        if (problem.function->native != NativeLeaf::none && reduced.units.empty()) {
            const LeafFunction& leaf = *problem.function;
            kernels.native_costs({leaf.native, model.n_values, 1 / reduced.grain, leaf.parameter, 1, 0}, sums,
                                 n, ticks);
            for (std::size_t k = 0; k < n; ++k) ticks[k] = std::max(ticks[k], 0.0);
            return;
        }
        const std::size_t values = static_cast<std::size_t>(model.n_values);
        const std::size_t labels = static_cast<std::size_t>(problem.n_labels);
        std::vector<double> costs(labels * n, std::numeric_limits<double>::quiet_NaN()), scaled;
        if (!reduced.units.empty()) sums = in_units(sums, n, scaled);
        problem.function->costs(sums, n, costs.data());
        for (std::size_t k = 0; k < n; ++k) {
            double largest = 0, least = costs[k], bad = 0;
            for (std::size_t m = 0; m < values; ++m) largest = std::max(largest, std::abs(sums[m * n + k]));
            for (std::size_t label = 0; label < labels; ++label) {
                bad += costs[label * n + k] - costs[label * n + k];
                least = std::min(least, costs[label * n + k]);
            }
            ticks[k] = std::nearbyint(least / reduced.grain);
            const bool below = reduced.bounded && ticks[k] < -64 && least < -1e-9 * largest;
            if (!(bad == 0) || std::abs(ticks[k]) > kMostTicks || below)
                ticks[k] = LeafTable::kWrong;
            else if (reduced.bounded)
                ticks[k] = std::max(ticks[k], 0.0);
        }
    };
    try {
        leaf_table.fill(reduced, options.min_samples_leaf,
                        LeafTable::most_entries(reduced.features.size(), options.max_depth), evaluate);
    } catch (const TaskFailure&) {  // about leaves that may not exist, or too late
        problem.function->clear_failure();
    }
    take_memory(leaf_table.bytes());
}

// The node and both sides of each of its features as leaves, in one call.
void LeafFunctions::load_side_costs(Level& at) {
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

// A pair problem by table.
PairBenefit LeafFunctions::solve_by_table(const Node& node, const PairProblem& problem, int nodes,
                                          double* per_root) {
    const LeafModel& model = search_.model;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::vector<std::int32_t>& factors = search_.leaf_table.factors();
    const double* costs = search_.leaf_table.costs();
    roots_.resize(2 * stride);
    cell_positions_.resize(2 * stride);
    const CellTable table{costs, factors.data(), static_cast<int>(factors.size()), cell_positions_.data()};
    double lowest = search_.kernels.table_splits(node.frame(), problem, table, model.maximum, roots_.data(),
                                                 roots_.data() + stride);
    const std::int32_t* single = cell_positions_.data();
    double total = 0;
    for (std::size_t c = 0; c < factors.size(); ++c)
        total += factors[c] * lane_value(node.lane_type(), problem.totals, c);
    const double branch = model.branch_cost;
    double one = kNone, two = kNone, three = kNone;
    if (per_root != nullptr) std::fill(per_root, per_root + stride, -kNone);
    for (const std::int32_t lane : node.active()) {
        const std::size_t l = static_cast<std::size_t>(lane);
        const double right = costs[single[l]];
        const double left = costs[static_cast<std::int32_t>(total) - single[l]];
        if (right >= kNone || left >= kNone) continue;
        const double r = std::min(right, roots_[l] + branch);
        const double l_ = std::min(left, roots_[stride + l] + branch);
        lowest = std::min({lowest, r, l_});
        const double with_one = search_.join(left, right, branch);
        const double with_two = std::min(search_.join(left, r, branch), search_.join(l_, right, branch));
        const double with_three = search_.join(l_, r, branch);
        one = std::min(one, with_one);
        two = std::min(two, with_two);
        three = std::min(three, with_three);
        if (per_root != nullptr)
            per_root[l] = -(nodes >= 3 || nodes == 0 ? with_three : nodes == 2 ? with_two : with_one);
    }
    if (lowest < LeafTable::kWrong / 2) find_wrong_cell(node, problem);
    return {{-kNone, -one, -two, -three}};
}

// The table has a wrong cost for one of the cells of these pairs: the function is asked about it again.
void LeafFunctions::find_wrong_cell(const Node& node, const PairProblem& problem) const {
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::vector<std::int32_t>& factors = search_.leaf_table.factors();
    const auto position = [&](const void* numbers, std::size_t first, std::size_t step) {
        double sum = 0;
        for (std::size_t c = 0; c < factors.size() && numbers != nullptr; ++c)
            sum += factors[c] * lane_value(node.lane_type(), numbers, first + c * step);
        return static_cast<std::int32_t>(sum);
    };
    const std::int32_t total = position(problem.totals, 0, 1);
    for (const std::int32_t i : node.active()) {
        for (const std::int32_t j : node.active()) {
            if (j < i) continue;
            const std::size_t cell = static_cast<std::size_t>(i) * stride + static_cast<std::size_t>(j);
            const std::int32_t own = position(problem.table, cell, stride * stride);
            const std::int32_t both = problem.minuend == nullptr
                                          ? own
                                          : position(problem.minuend, cell, stride * stride) - own;
            const std::int32_t one = position(problem.singles, static_cast<std::size_t>(i), stride);
            const std::int32_t other = position(problem.singles, static_cast<std::size_t>(j), stride);
            for (std::int32_t at :
                 {both, one - both, other - both, total - one - other + both, one, total - one}) {
                if (search_.leaf_table.costs()[at] != LeafTable::kWrong) continue;
                std::vector<double> sums;
                for (const std::int32_t factor : factors) {
                    sums.push_back(at / factor);
                    at %= factor;
                }
                search_.wrong_cost(sums.data(), 1);
            }
        }
    }
    throw TaskFailure(
        "the cost of a leaf is not a finite number, or less than least_row allows for its rows");
}

// As Kernels::solve_pairs, with benefits that are negative costs. Every pair is looked at once, for both
// orders.
PairBenefit LeafFunctions::solve_pairs(const Node& node, const PairProblem& problem, int nodes,
                                       double* per_root) {
    if (search_.leaf_table.ready()) return solve_by_table(node, problem, nodes, per_root);
    thread_.checkpoint();  // the function may be slow
    const LeafModel& model = search_.model;
    const std::size_t values = static_cast<std::size_t>(model.n_values);
    const double least = model.min_samples_leaf;
    if (per_root != nullptr) std::fill(per_root, per_root + node.stride(), -kNone);
    const CellPlan plan = plan_cells(node, problem);
    const std::size_t n = static_cast<std::size_t>(plan.n);
    if (n == 0) return {{-kNone, -kNone, -kNone, -kNone}};
    const double* sizes = plan.singles + values * n;
    const double all = plan.totals[values];

    // Both children of every root as leaves, then as splits: [right leaf][left leaf][right split][left
    // split].
    roots_.assign(4 * n, kNone);
    double* right_leaf = roots_.data();
    double* left_leaf = right_leaf + n;
    double* right_split = left_leaf + n;
    double* left_split = right_split + n;
    cells_.resize(values * 2 * n);
    for (std::size_t c = 0; c < values; ++c) {
        for (std::size_t a = 0; a < n; ++a) {
            cells_[c * 2 * n + a] = plan.singles[c * n + a];
            cells_[c * 2 * n + n + a] = plan.totals[c] - plan.singles[c * n + a];
        }
    }
    search_.leaf_costs(cells_.data(), 2 * n, right_leaf);

    // Blocks of roots, so that the cells of a block stay in the cache.
    for (std::size_t begin = 0, end = 0; nodes != 1 && begin + 1 < n; begin = end) {
        std::size_t size = 0;
        for (end = begin; end + 1 < n && (size == 0 || size + 4 * (n - end - 1) <= kCells); ++end)
            size += 4 * (n - end - 1);
        cells_.resize(values * size);
        cell_costs_.resize(size);
        cell_sizes_.resize(size);
        std::size_t at = 0;
        for (std::size_t a = begin; a < end; at += 4 * (n - a - 1), ++a)
            search_.kernels.pair_cells(node.frame(), problem, plan, static_cast<int>(a), cells_.data() + at,
                                       size, cell_sizes_.data() + at);
        search_.leaf_costs(cells_.data(), size, cell_costs_.data());
        at = 0;
        for (std::size_t a = begin; a < end; at += 4 * (n - a - 1), ++a) {
            if (problem.prices == nullptr)
                search_.kernels.reduce_cells(plan.n, static_cast<int>(a), &cell_costs_[at], &cell_sizes_[at],
                                             least, model.maximum, right_split, left_split);
            else
                reduce_priced(plan, problem, a, &cell_costs_[at], &cell_sizes_[at], right_split, left_split);
        }
        if (end + 1 < n) thread_.checkpoint();
    }

    const double branch = model.branch_cost;
    double one = kNone, two = kNone, three = kNone;
    for (std::size_t a = 0; a < n; ++a) {
        if (sizes[a] < least || all - sizes[a] < least) continue;
        const double price = branch +
                             (problem.prices != nullptr ? all * problem.prices->now[plan.lanes[a]] : 0.0);
        const double r = std::min(right_leaf[a], right_split[a] + branch);
        const double l = std::min(left_leaf[a], left_split[a] + branch);
        const double with_one = search_.join(left_leaf[a], right_leaf[a], price);
        const double with_two = std::min(search_.join(left_leaf[a], r, price),
                                         search_.join(l, right_leaf[a], price));
        const double with_three = search_.join(l, r, price);
        one = std::min(one, with_one);
        two = std::min(two, with_two);
        three = std::min(three, with_three);
        if (per_root != nullptr)
            per_root[plan.lanes[a]] = -(nodes >= 3 || nodes == 0 ? with_three
                                        : nodes == 2             ? with_two
                                                                 : with_one);
    }
    return {{-kNone, -one, -two, -three}};
}

// The features that still split the rows of a pair problem, with their sums as doubles.
CellPlan LeafFunctions::plan_cells(const Node& node, const PairProblem& problem) {
    const std::size_t values = static_cast<std::size_t>(search_.model.n_values);
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const double least = search_.model.min_samples_leaf;
    const auto value = [&](const void* numbers, std::size_t at) {
        return lane_value(node.lane_type(), numbers, at);
    };
    cell_totals_.resize(values + 1);
    for (std::size_t c = 0; c <= values; ++c) cell_totals_[c] = value(problem.totals, c);
    cell_lanes_.clear();
    for (const std::int32_t f : node.active()) {
        const double with = value(problem.singles, values * stride + static_cast<std::size_t>(f));
        if (with >= least && cell_totals_[values] - with >= least) cell_lanes_.push_back(f);
    }
    const std::size_t n = cell_lanes_.size();
    cell_singles_.resize((values + 1) * n);
    for (std::size_t c = 0; c <= values; ++c)
        for (std::size_t a = 0; a < n; ++a)
            cell_singles_[c * n + a] = value(problem.singles,
                                             c * stride + static_cast<std::size_t>(cell_lanes_[a]));
    cell_row_.resize(n);
    return {cell_lanes_.data(),  static_cast<int>(n),    cell_singles_.data(),
            cell_totals_.data(), search_.model.n_values, least,
            cell_row_.data()};
}

// As Kernels::reduce_cells, where the rows of a child pay for its split.
void LeafFunctions::reduce_priced(const CellPlan& plan, const PairProblem& problem, std::size_t a,
                                  const double* ticks, const double* sizes, double* right,
                                  double* left) const {
    const std::size_t n = static_cast<std::size_t>(plan.n);
    const std::size_t m = n - a - 1;
    const std::size_t i = static_cast<std::size_t>(plan.lanes[a]);
    for (std::size_t b = 0; b < m; ++b) {
        const std::size_t j = static_cast<std::size_t>(plan.lanes[a + 1 + b]);
        const double below_i = problem.prices->after(i, j);
        const double below_j = problem.prices->after(j, i);
        double cost[4], size[4];
        for (std::size_t q = 0; q < 4; ++q) {
            size[q] = sizes[q * m + b];
            cost[q] = size[q] < plan.least ? kNone : ticks[q * m + b];
        }
        right[a] = std::min(right[a], cost[0] + cost[1] + below_i * (size[0] + size[1]));
        left[a] = std::min(left[a], cost[2] + cost[3] + below_i * (size[2] + size[3]));
        right[a + 1 + b] = std::min(right[a + 1 + b], cost[0] + cost[2] + below_j * (size[0] + size[2]));
        left[a + 1 + b] = std::min(left[a + 1 + b], cost[1] + cost[3] + below_j * (size[1] + size[3]));
    }
}

}  // namespace streed
