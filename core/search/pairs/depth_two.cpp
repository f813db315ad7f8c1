// The last two levels at once (paper, Algorithm 2), and the last one.
//
// The pair table of a node has the sums of all cells (root feature, second feature), so that every tree of
// depth two is a difference of its entries. Solving each child for itself would count the same rows once per
// root. The table of a node may come from that of its parent less that of its sibling, which has fewer rows.
#include "search/pairs/pair_solver.hpp"

#include <algorithm>
#include <cmath>

namespace streed {

double PairSolver::value_of(const Node& node, double benefit) const {
    return search_.model.ticks * node.potential() - benefit;
}

// Benefit of a pair problem on the rows of a node, whatever the leaf model.
PairBenefit PairSolver::benefit(const Node& node, PairProblem problem, const NodePrices& prices, int nodes,
                                double* per_root) {
    ++thread_.statistics.depth_two_solves;
    const PairPrices lanes = prices.pairs();
    if (search_.prices.any()) problem.prices = &lanes;
    if (search_.has_native()) return native_.solve_pairs(node, problem, nodes, per_root);
    if (search_.has_function()) return functions_.solve_pairs(node, problem, nodes, per_root);
    return search_.kernels.solve_pairs(node.frame(), search_.model, problem, nodes, per_root,
                                       tables_.scratch(node));
}

// The pair problem of a node itself, its table being loaded. Packed, the sum of all rows stands in the place
// of the first total, their potential in that of the last one, as in begin_packed_children().
PairProblem PairSolver::problem(const Level& at) const {
    if (!native_.packed()) return {at.table.data(), nullptr, at.node.singles(), at.node.totals()};
    const std::int64_t* singles = at.packed_singles.as<std::int64_t>();
    return {at.table.data(), nullptr, singles, singles + at.node.stride()};
}

// Optimum of the node with at most three branching nodes in two levels, its pair table being loaded.
double PairSolver::solve(Level& at, int nodes, double* per_root) {
    const PairBenefit found = benefit(at.node, problem(at), at.prices, nodes, per_root);
    return std::min(at.leaf, value_of(at.node, found.at_most[std::min(nodes, 3)]));
}

// Optimum of the node as by solve(), with the best benefit of every root in `look`.
double PairSolver::look_ahead(Level& at, int nodes) {
    if (at.looked != nodes) {
        at.two_levels = solve(at, nodes, at.look.as<double>());
        at.looked = nodes;
    }
    return at.two_levels;
}

// Single sums, totals and prices of both children of a feature; the pair problems below need them. Sizes of
// pairs are wanted where leaves have a least size, and to build trees.
void PairSolver::begin_children(const Level& at, int lane, bool small_side, bool with_sizes) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::size_t channels = static_cast<std::size_t>(node.n_channels());
    const std::size_t size = lane_bytes(node.lane_type());
    thread_.account(tables_.spare.table.reserve(stride * stride * channels * size));
    thread_.account(tables_.spare.singles.reserve(stride * channels * size));
    thread_.account(children_.other_singles.reserve(stride * channels * size));
    thread_.account(children_.totals.reserve(2 * channels * 8));
    tables_.spare.filter.resize(static_cast<std::size_t>(node.words()));
    char* singles = tables_.spare.singles.as<char>();
    char* others = children_.other_singles.as<char>();
    char* totals = children_.totals.as<char>();
    char* other_totals = totals + channels * 8;
    children_.filled = false;
    children_.sizes = with_sizes || search_.model.min_samples_leaf > 1 || search_.has_function();
    if (native_.packed()) return native_.begin_packed_children(at, lane, small_side, children_);
    for (std::size_t c = 0; c < channels; ++c) {
        // Row `lane` of the pair table holds the sums of the child that has the feature.
        const char* row = at.table.as<char>() + (c * stride + static_cast<std::size_t>(lane)) * stride * size;
        const char* all = static_cast<const char*>(node.singles()) + c * stride * size;
        const char* total = static_cast<const char*>(node.totals()) + c * size;
        const char* with = all + static_cast<std::size_t>(lane) * size;
        char* right = (small_side ? singles : others) + c * stride * size;
        char* left = (small_side ? others : singles) + c * stride * size;
        std::memcpy(right, row, stride * size);
        search_.kernels.subtract(node.lane_type(), all, row, left, node.stride());
        std::memcpy((small_side ? totals : other_totals) + c * size, with, size);
        search_.kernels.subtract(node.lane_type(), total, with,
                                 (small_side ? other_totals : totals) + c * size, 1);
    }
    if (search_.prices.any())
        children_.prices.test(at.prices, static_cast<std::size_t>(lane), search_.kernels);
}

// The pair problem of the smaller or the larger child, good until the next one is asked for. Only the rows of
// the smaller one are summed up, the pair table of the other is the node's table minus that (without the
// subtraction switch each is summed for itself).
PairProblem PairSolver::child_problem(const Level& at, int lane, bool small_side, bool large) {
    const Node& node = at.node;
    const bool subtract = search_.options.switches.subtraction;
    char* totals = children_.totals.as<char>() +
                   (large ? static_cast<std::size_t>(node.n_channels()) * 8 : 0);
    const void* singles = large ? children_.other_singles.data() : tables_.spare.singles.data();
    if (!children_.filled || (large && !subtract)) {
        const bool as_asked = large && !subtract;
        node.side_filter(lane, as_asked ? !small_side : small_side, tables_.spare.filter.data());
        Frame frame = node.frame();
        if (frame.counting && frame.counted && !children_.sizes) {
            frame.counted = false;
            --frame.n_channels;
        }
        if (native_.packed())
            native_.count_packed(
                at, tables_.spare.filter.data(),
                static_cast<const std::int64_t*>(as_asked ? singles : tables_.spare.singles.data()),
                tables_.spare.table, true);
        else if (search_.masked())
            native_.fill_table(at, frame, tables_.spare.filter.data(),
                               as_asked ? singles : tables_.spare.singles.data(), tables_.spare.table.data(),
                               search_.has_native());
        else
            tables_.count(frame, tables_.spare.filter.data(),
                          as_asked ? singles : tables_.spare.singles.data(), tables_.spare.table.data(),
                          nullptr, tables_.scratch(node));
        children_.filled = !as_asked;
    }
    return {tables_.spare.table.data(), large && subtract ? at.table.data() : nullptr, singles, totals};
}

// Benefit of a side of a feature as a leaf, in ticks.
double PairSolver::side_benefit(const Level& at, int lane, bool side) const {
    const Node& node = at.node;
    if (search_.has_function())
        return -at.side_cost[static_cast<std::size_t>((side ? node.stride() : 0) + lane)];
    return leaf_benefit(search_.model, [&](int k) {
        return side ? node.single(k, lane) : node.total(k) - node.single(k, lane);
    });
}

// The best single branching, or the leaf where none is better.
double PairSolver::best_stump(const Level& at, int* lane) const {
    double best = at.leaf;
    if (lane != nullptr) *lane = -1;
    const double all = search_.model.ticks * at.node.potential();
    for (const std::int32_t f : at.node.active()) {
        const double with = side_benefit(at, f, true), without = side_benefit(at, f, false);
        const double value = at.maximum ? std::max(-with, -without)
                                        : all - with - without + at.branch[static_cast<std::size_t>(f)];
        if (value < best) {
            best = value;
            if (lane != nullptr) *lane = f;
        }
    }
    return best;
}

}  // namespace streed
