// Trees over bins: where rows go, what leaves cost, and trees grown greedily.
#pragma once

#include <limits>

#include "run/control.hpp"
#include "thresholds/many/sums.hpp"

namespace streed::thresholds::many {

constexpr int kBins = 256;
constexpr double kNever = std::numeric_limits<double>::infinity();

// One search: the rows, what they add, and the limits.
template <class Sums>
struct Task {
    const Problem& problem;
    const Sums sums;
    const Options& options;
    run::Control& control;

    double least() const { return static_cast<double>(options.min_samples_leaf); }
    std::size_t rows() const { return problem.n_rows; }
    std::size_t columns() const { return problem.n_columns; }
};

inline int depth_of(const Tree& tree, std::int32_t at = 0) {
    const Node& node = tree[static_cast<std::size_t>(at)];
    return node.column < 0 ? 0 : 1 + std::max(depth_of(tree, node.side[0]), depth_of(tree, node.side[1]));
}

inline void split(Tree& tree, std::int32_t at, std::int32_t column, std::int32_t bin) {
    const std::int32_t next = static_cast<std::int32_t>(tree.size());
    tree[static_cast<std::size_t>(at)] = {column, bin, {next, next + 1}};
    tree.resize(tree.size() + 2);
}

// Copies what hangs below a node into another tree.
inline void graft(const Tree& from, std::int32_t source, Tree& to, std::int32_t at) {
    const Node& node = from[static_cast<std::size_t>(source)];
    to[static_cast<std::size_t>(at)] = {};
    if (node.column < 0) return;
    split(to, at, node.column, node.bin);
    for (int side = 0; side < 2; ++side)
        graft(from, node.side[side], to, to[static_cast<std::size_t>(at)].side[side]);
}

// The node that each row has reached after so many tests below `at`, if it was there.
inline void advance(const Problem& problem, const Tree& tree, int tests, std::vector<std::uint16_t>& at) {
    for (int k = 0; k < tests; ++k)
        for (std::size_t row = 0; row < problem.n_rows; ++row) {
            const Node& node = tree[at[row]];
            if (node.column < 0) continue;
            const std::uint8_t code = problem.column(static_cast<std::size_t>(node.column))[row];
            at[row] = static_cast<std::uint16_t>(node.side[code > node.bin ? 1 : 0]);
        }
}

// The sums of the rows at every node where rows are.
template <class Sums>
std::vector<typename Sums::Sum> sums_at(const Task<Sums>& task, std::size_t n_nodes,
                                        const std::vector<std::uint16_t>& at) {
    std::vector<typename Sums::Sum> out(n_nodes * task.sums.width());
    for (std::size_t row = 0; row < task.rows(); ++row)
        task.sums.add(out.data() + at[row] * task.sums.width(), row);
    return out;
}

// What a tree costs; infinite if a leaf has too few rows.
template <class Sums>
double value_of(const Task<Sums>& task, const Tree& tree) {
    std::vector<std::uint16_t> at(task.rows(), 0);
    advance(task.problem, tree, depth_of(tree), at);
    const auto sums = sums_at(task, tree.size(), at);
    double value = 0;
    for (std::size_t k = 0; k < tree.size(); ++k) {
        const auto* own = sums.data() + k * task.sums.width();
        if (tree[k].column < 0 && task.sums.rows(own) < task.least() && tree.size() > 1) return kNever;
        value += tree[k].column < 0 ? task.sums.cost(own) : task.options.branch_cost;
    }
    return value;
}

// Calls visit(slot, cells) with the sums by bin of one column, for the rows of each slot; 255: no slot.
template <class Sums, class Visit>
void by_bins(const Task<Sums>& task, std::size_t column, const std::vector<std::uint8_t>& slots,
             std::size_t n_slots, std::vector<typename Sums::Sum>& cells, Visit&& visit) {
    const std::size_t width = task.sums.width(), size = kBins * width;
    cells.assign((n_slots + 1) * size, 0);
    const std::uint8_t* codes = task.problem.column(column);
    for (std::size_t row = 0; row < task.rows(); ++row) {
        const std::size_t slot = std::min<std::size_t>(slots[row], n_slots);
        task.sums.add(cells.data() + slot * size + codes[row] * width, row);
    }
    for (std::size_t slot = 0; slot < n_slots; ++slot) visit(slot, cells.data() + slot * size);
}

struct Stump {
    double value = kNever;
    std::int32_t column = -1, bin = 0;
};

// The cut of one column that leaves the least of a measure on both sides together.
template <class Sums, class Measure>
void take_best_cut(const Sums& sums, const typename Sums::Sum* cells, std::size_t column, double least,
                   Measure&& measure, Stump& best) {
    using Sum = typename Sums::Sum;
    const std::size_t width = sums.width();
    std::vector<Sum> below(width), above(width);
    for (int bin = 0; bin < kBins; ++bin)
        for (std::size_t k = 0; k < width; ++k) above[k] += cells[static_cast<std::size_t>(bin) * width + k];
    for (int bin = 0; bin + 1 < kBins; ++bin) {
        const Sum* own = cells + static_cast<std::size_t>(bin) * width;
        if (sums.rows(own) == 0) continue;
        for (std::size_t k = 0; k < width; ++k) {
            below[k] += own[k];
            above[k] -= own[k];
        }
        if (sums.rows(below.data()) < least || sums.rows(above.data()) < least) continue;
        if (sums.rows(above.data()) <= 0) return;
        const double value = measure(below.data()) + measure(above.data());
        if (value < best.value) best = {value, static_cast<std::int32_t>(column), bin};
    }
}

// A greedy tree: each level splits all nodes at once.
template <class Sums>
Tree grow(const Task<Sums>& task, int depth, Criterion criterion, double least) {
    Tree tree(1);
    std::vector<std::uint16_t> at(task.rows(), 0);
    std::vector<std::uint8_t> slots(task.rows(), 0);
    std::vector<std::int32_t> frontier{0};
    std::vector<typename Sums::Sum> cells;
    const auto impurity = [&](const auto* sums) { return task.sums.impurity(sums, criterion); };
    for (int level = 0; level < depth && !frontier.empty(); ++level) {
        std::vector<Stump> best(frontier.size());
        for (std::size_t j = 0; j < task.columns(); ++j) {
            task.control.checkpoint(true);
            by_bins(task, j, slots, frontier.size(), cells, [&](std::size_t slot, const auto* own) {
                take_best_cut(task.sums, own, j, least, impurity, best[slot]);
            });
        }
        const auto sums = sums_at(task, tree.size(), at);
        std::vector<std::uint8_t> slot_of(tree.size() + 2 * frontier.size(), 255);
        std::vector<std::int32_t> next;
        for (std::size_t slot = 0; slot < frontier.size(); ++slot) {
            const std::int32_t node = frontier[slot];
            const double now = impurity(sums.data() + static_cast<std::size_t>(node) * task.sums.width());
            if (best[slot].column < 0 || best[slot].value >= now - 1e-12 * std::abs(now)) continue;
            split(tree, node, best[slot].column, best[slot].bin);
            for (const std::int32_t side : tree[static_cast<std::size_t>(node)].side) {
                slot_of[static_cast<std::size_t>(side)] = static_cast<std::uint8_t>(next.size());
                next.push_back(side);
            }
        }
        advance(task.problem, tree, 1, at);
        for (std::size_t row = 0; row < task.rows(); ++row) slots[row] = slot_of[at[row]];
        frontier = std::move(next);
    }
    return tree;
}

}  // namespace streed::thresholds::many
