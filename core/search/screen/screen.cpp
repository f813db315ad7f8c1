// Children with two levels left by estimates, of squared errors of one target.
//
// An estimate (leaves/native/estimates.hpp) bounds what a child gains from above. Where these bounds rule a
// feature out, often that of the larger child alone, nothing is solved; else the few roots whose estimates
// are so near to the best one that they may be better are solved exactly. Values are those of the exact
// search. Concrete at depth 4: 33 ms instead of 54 with AVX2, 28 instead of 38 with AVX-512.
//
// Errors: with numbers q + e of the slots, q whole, the squares of two sums by their counts differ by
// 2 sqrt(B E) + E at most, B = sum of q^2 / n over the leaves, E = sum of e^2 / n over the slots (both from
// the inequality of Cauchy and Schwarz). Floats add seven roundings: 2^-21 of the estimate.
#include "search/screen/screen.hpp"

#include <algorithm>
#include <cmath>

namespace streed {
namespace {

constexpr std::size_t kMostRoots = 12;  // that are solved one by one
// Features to be tried: carbon at depth 4 with rows of any number (AVX-512) takes 7.3 ms from 8 on, 7.0 from
// 12 on, and 6.5 without estimates; query1 4.7 to 4.6 (AVX2; 5.4 without).
constexpr std::size_t kLeastFeatures = 12;

// The sum of a statistic over the rows of a child.
double child_sum(const Node& node, int channel, int lane, bool side) {
    const double with = node.single(channel, lane);
    return side ? with : node.total(channel) - with;
}

}  // namespace

// The node itself takes about as long as two of its children.
void Screen::begin(Level& at) {
    const Switches& switches = search_.options.switches;
    at.screened = false;
    if (!switches.screen || !switches.subtraction || !search_.has_native() || search_.reduced.shift == 0 ||
        search_.options.min_samples_leaf > 1 || at.order.size() < kLeastFeatures)
        return;
    thread_.turn_rows(at);
    std::size_t grown;
    at.screened = at.coarse.load(at.node, grown);
    thread_.account(grown);
    if (at.screened) count(at, at.node.valid().data(), at.coarse.table());
}

void Screen::count(const Level& at, const std::uint64_t* filter, std::int32_t* table) {
    thread_.account(indices_.reserve(4 * (64 * static_cast<std::size_t>(at.node.words()) + 8)));
    thread_.account(room_.reserve(kChainRoom));
    ++thread_.statistics.tables_counted;
    search_.kernels.chain_table(
        at.node.frame(), at.coarse.rows(at.node, indices_.as<std::uint32_t>(), room_.data()), filter, table);
}

// The sums per feature of both children come from the table of the smaller one.
void Screen::count_child(const Level& at, int lane) {
    const Node& node = at.node;
    const std::size_t pitch = at.coarse.pitch();
    thread_.look_at_clock(node);
    thread_.account(table_.reserve(at.coarse.table_bytes(node)));
    thread_.account(floats_.reserve(16 * pitch));
    for (Child& child : children_) {
        thread_.account(child.singles.reserve(4 * pitch));
        thread_.account(child.roots.reserve(4 * pitch));
        std::fill_n(child.singles.as<std::int32_t>(), pitch, 0);
    }
    filter_.resize(static_cast<std::size_t>(node.words()));
    node.side_filter(lane, smaller_side(node, lane), filter_.data());
    std::int32_t* table = table_.as<std::int32_t>();
    count(at, filter_.data(), table);
    for (const std::int32_t f : node.active()) {
        const std::int32_t small = table[static_cast<std::size_t>(f) * (pitch + 1)];
        children_[0].singles.as<std::int32_t>()[f] = small;
        children_[1].singles.as<std::int32_t>()[f] = at.coarse.single(f) - small;
    }
}

// Estimates are about the mean of the node, benefits about zero.
void Screen::estimate(Level& at, int lane, bool side) {
    const Node& node = at.node;
    const CoarseRows& coarse = at.coarse;
    const bool large = side != smaller_side(node, lane);
    Child& child = children_[large ? 1 : 0];
    const double factor = search_.reduced.factor, unit = factor / (coarse.scale() * coarse.scale());
    const std::int32_t with = coarse.single(lane);
    ++thread_.statistics.depth_two_solves;
    child.best = search_.kernels.estimate_roots(node.frame(),
                                                {.table = table_.as<std::int32_t>(),
                                                 .minuend = large ? coarse.table() : nullptr,
                                                 .singles = child.singles.as<std::int32_t>(),
                                                 .total = side ? with : coarse.total() - with,
                                                 .pitch = coarse.pitch(),
                                                 .shift = coarse.shift(),
                                                 .branch = static_cast<float>(search_.branch_cost() / unit),
                                                 .room = floats_.as<float>(),
                                                 .roots = child.roots.as<float>()});
    const double best = child.best, off = coarse.rounded();
    child.slack = (2 * std::sqrt(best * off) + off + best * 0x1p-21) * (1 + 0x1p-16);
    const double mean = coarse.mean(), rows = child_sum(node, 0, lane, side);
    const double centring = factor * mean * (2 * child_sum(node, 1, lane, side) - mean * rows);
    const double gain = (best + child.slack) * unit + centring - 3 * search_.branch_cost();
    constexpr double kRounding = 8;  // ticks, of at most four leaves and of the sums here
    const double rounding = kRounding + 0x1p-40 * (std::abs(centring) + factor * mean * mean * rows);
    const double least = child_sum(node, 2, lane, side) - gain - rounding;
    const double leaf = at.side_cost[static_cast<std::size_t>((side ? node.stride() : 0) + lane)];
    const SharedLock lock(at);
    double& bound = at.bound(at.least_nodes, side, lane);
    bound = std::max(bound, std::floor(std::min(least, leaf)));
}

// The packed sums of a child per feature, zero in idle lanes, from the table of the node.
const std::int64_t* Screen::exact_singles(const Level& at, int lane, bool side) {
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    thread_.account(singles_.reserve(8 * stride));
    const std::int64_t* all = at.packed_singles.as<std::int64_t>();
    const std::int64_t* with = at.table.as<std::int64_t>() + static_cast<std::size_t>(lane) * stride;
    std::int64_t* singles = singles_.as<std::int64_t>();
    std::fill_n(singles, stride, 0);
    for (const std::int32_t f : at.node.active()) singles[f] = side ? with[f] : all[f] - with[f];
    return singles;
}

bool Screen::solve(const Level& at, int lane, bool side, double& value) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const bool large = side != smaller_side(node, lane);
    const Child& child = children_[large ? 1 : 0];
    const float* roots = child.roots.as<float>();
    const double from = child.best - 2 * child.slack;
    std::size_t n = 0;
    for (const std::int32_t f : node.active()) n += roots[f] >= from;
    if (n > kMostRoots) return false;
    thread_.account(row_.reserve(8 * (stride + 8)));
    const std::int64_t* all = at.packed_singles.as<std::int64_t>();
    const double branch = search_.branch_cost(), potential = child_sum(node, 2, lane, side);
    RootProblem problem{.masks = node.known_row_bits(),
                        .filter = filter_.data(),
                        .values = at.packed.as<std::int64_t>(),
                        .minuend = nullptr,
                        .singles = exact_singles(at, lane, side),
                        .total = side ? all[lane] : all[stride] - all[lane],
                        .indices = indices_.as<std::uint32_t>(),
                        .row = row_.as<std::int64_t>()};
    value = at.side_cost[(side ? stride : 0) + static_cast<std::size_t>(lane)];
    for (const std::int32_t f : node.active()) {
        if (!(roots[f] >= from)) continue;
        if (large) problem.minuend = at.table.as<std::int64_t>() + static_cast<std::size_t>(f) * stride;
        const RootSplits found = search_.kernels.packed_root(node.frame(), problem, f,
                                                             search_.native_model());
        if (found.right_leaf <= -1e300 || found.left_leaf <= -1e300) continue;
        const double gain = std::max(found.right_leaf, found.right - branch) +
                            std::max(found.left_leaf, found.left - branch) - branch;
        value = std::min(value, potential - gain);
    }
    return true;
}

}  // namespace streed
