// The bound of target groups, for squared errors of one target: a tree with k leaves costs no less than the
// best k groups of its rows in the order of their targets, and k - 1 prices (leaves/native/groups.hpp;
// Zhang et al., "Optimal Sparse Regression Trees", AAAI 2023).
//
// Here all children of a node are bounded at once, before any of them is loaded. That pays where features
// explain nearly all of the target: a split unrelated to it leaves both children with as many groups
// as there were before. Elsewhere leaves are far from the best groups, and nodes are bounded only if the
// bound was promising at the node above. Pair problems solved on carbon with a price of 0.001: 92 of 583 at
// depth 4, 305 of 9,872 at depth 5.
//
// Rounding: benefits of leaves are rounded down to ticks, and a potential is more than the benefit of its
// slot, so that groups in real numbers cost no more ticks than leaves. Their sums are exact; a product, a
// quotient, a factor and a difference are wrong by 2^-51 of the potential of all rows at most, for each
// group.
#include "search/bounds/groups.hpp"

#include <algorithm>

namespace streed {

namespace {

constexpr std::size_t kLanes = 8;  // a multiple of the doubles in any vector
constexpr std::size_t kStatistics = 3;

// Bins, fewer where children are pair problems. Milliseconds of carbon at depth 5 without and with a price of
// 0.001: 32 and 64 bins 274 and 37, 64 and 64 287 and 40, 32 and 48 446 and 36, 32 and 96 267 and 41.
constexpr int kFewBins = 32, kManyBins = 64;

// The cost of the node in as many groups as a child has leaves is the cost of both children together if the
// feature is unrelated to the target. Its share of the cost to beat decides: from the first one on the
// children are bounded, from the others on the children of children, those with three levels and those with
// more. The first: 0.95 takes 270 ms on carbon at depth 5 with a price, as its root has less.
// The second, carbon at depth 5 and query1 with a price: 0.2 takes 265 and 45 ms, 0.35 274 and 42, 0.5 284
// and 41, and without the bound it is 463 and 41.
constexpr double kPromising = 0.7, kHopeful = 0.35, kHopefulAbove = 0.2;

int leaves_of(int depth, int nodes) { return std::min(full_tree(depth), nodes) + 1; }

}  // namespace

bool GroupBounds::useful(const Level& at, int leaves) const {
    return search_.options.switches.group_bounds && search_.has_native() && search_.reduced.ordered &&
           (at.above == nullptr || at.above->grouped) && (search_.branch_cost() > 0 || leaves <= kMostGroups);
}

// Equal parts of the range of the slots' means, and the sums of each. Divisions and products are monotone
// also when they are rounded: no slot has a lower mean than one of a bin before.
void GroupBounds::bin_targets(const Node& node, int bins) {
    const Frame frame = node.frame();
    const std::size_t slots = static_cast<std::size_t>(node.n_slots());
    const double* weight = frame.channels[0].values;
    const double* target = frame.channels[1].values;
    means_.resize(slots);
    bin_.resize(slots);
    double low = 1e300, high = -1e300;
    for (std::size_t k = 0; k < slots; ++k) {
        const double mean = weight[k] > 0 ? target[k] / weight[k] : 0;
        means_[k] = mean;
        low = std::min(low, mean);
        high = std::max(high, mean);
    }
    const double scale = high > low ? bins / (high - low) : 0;
    totals_.assign(static_cast<std::size_t>(bins) * kStatistics, 0);
    for (std::size_t k = 0; k < slots; ++k) {
        const int bin = std::min(static_cast<int>((means_[k] - low) * scale), bins - 1);
        bin_[k] = static_cast<std::uint8_t>(bin);
        for (std::size_t c = 0; c < kStatistics; ++c)
            totals_[static_cast<std::size_t>(bin) * kStatistics + c] += frame.channels[c].values[k];
    }
}

// What the rows of the node cost in groups, the sums of its bins being known.
double GroupBounds::cost_in_groups(GroupProblem& problem) {
    double* sums = sets_.as<double>();
    for (std::size_t k = 0; k < totals_.size(); ++k) std::fill_n(sums + kLanes * k, kLanes, totals_[k]);
    problem.lanes = kLanes;
    search_.kernels.group_costs(problem);
    double least = problem.limit;
    for (std::size_t k = 0; k < static_cast<std::size_t>(problem.groups); ++k)
        least = std::min(least, problem.costs[kLanes * k]);
    return least;
}

// The sums of both children of the open features, the one without the feature first.
void GroupBounds::bin_children(Level& at, GroupProblem& problem) {
    const Node& node = at.node;
    thread_.turn_rows(at);
    const std::size_t lanes = (static_cast<std::size_t>(node.active().back()) / kLanes + 1) * kLanes;
    double* with = sums_.as<double>();
    search_.kernels.bin_sums(node.frame(), node.known_row_bits(), bin_.data(), node.n_slots(), problem.bins,
                             static_cast<int>(lanes), with);
    const std::size_t width = (2 * open_.size() + kLanes - 1) / kLanes * kLanes;
    for (std::size_t k = 0; k < totals_.size(); ++k, with += lanes) {
        double* out = sets_.as<double>() + width * k;
        std::fill_n(out, width, totals_[k]);
        for (std::size_t o = 0; o < open_.size(); ++o) {
            out[2 * o] -= with[open_[o]];
            out[2 * o + 1] = with[open_[o]];
        }
    }
    problem.lanes = static_cast<int>(width);
}

// Raises the bounds of all children that matter.
void GroupBounds::bound(Level& at) {
    at.grouped = false;
    const int most = leaves_of(at.depth - 1, at.least_nodes + at.n_budgets - 1);
    if (!useful(at, most)) return;
    open_.clear();
    for (const std::int32_t f : at.node.active())
        if (at.open(f)) open_.push_back(f);
    if (open_.empty()) return;
    const double price = search_.branch_cost();
    const double slack = 1 + kMostGroups * 0x1p-50 * at.node.total(2);
    const std::size_t width = 2 * static_cast<std::size_t>(at.node.stride()) + kLanes, bytes = 8 * width;
    const int bins = at.depth == 3 ? kFewBins : kManyBins;
    thread_.account(sums_.reserve(static_cast<std::size_t>(bins) * kStatistics * bytes / 2));
    thread_.account(sets_.reserve(static_cast<std::size_t>(bins) * kStatistics * bytes));
    thread_.account(costs_.reserve(kMostGroups * bytes));
    thread_.account(room_.reserve(group_room(static_cast<std::size_t>(bins))));
    GroupProblem problem{.sums = sets_.as<double>(),
                         .bins = bins,
                         .lanes = 0,
                         .groups = std::min(most, kMostGroups),
                         .open = most > kMostGroups,
                         .price = price,
                         .factor = search_.reduced.factor,
                         .limit = at.best + price + 2 * slack,
                         .costs = costs_.as<double>(),
                         .room = room_.data()};
    bin_targets(at.node, bins);
    const double own = cost_in_groups(problem);
    at.grouped = own >= (at.depth > 4 ? kHopefulAbove : kHopeful) * at.best;
    if (own < kPromising * at.best) return;
    bin_children(at, problem);
    search_.kernels.group_costs(problem);
    for (std::size_t o = 0; o < open_.size(); ++o)
        for (const bool side : {false, true}) {
            const double* costs = problem.costs + 2 * o + (side ? 1 : 0);
            double least = problem.limit;
            int groups = 0;
            for (int n = at.least_nodes; n < at.least_nodes + at.n_budgets; ++n) {
                const int leaves = std::min(leaves_of(at.depth - 1, n), problem.groups);
                for (; groups < leaves; ++groups, costs += problem.lanes) least = std::min(least, *costs);
                double& own_bound = at.bound(n, side, open_[o]);
                own_bound = std::max(own_bound, least - price - slack);
            }
        }
}

}  // namespace streed
