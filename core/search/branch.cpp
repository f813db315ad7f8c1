// The loop over branching features of a node with more than two levels left.
#include <algorithm>

#include "search.hpp"

namespace streed {

// Look-ahead order: solving the node with two levels only gives, for every feature, the best tree of depth two
// below it. That is an upper bound at once and a far better order than Gini. The order depends on the rows alone,
// never on bounds or on what other threads have found, so that ties are always broken in the same way. A node that `may_close`
// is left without any features if its bounds rule all of them out; a front wants them all the same.
void Worker::begin_branching(int index, int depth, int nodes, double upper, bool may_close) {
    Level& at = level(index);
    search_.checkpoint(calling_thread_);
    const Switches& switches = search_.options.switches;
    at.depth = depth;
    at.nodes = nodes;
    const int most = std::min(nodes - 1, full_tree(depth - 1));
    at.least_nodes = nodes - 1 - most;
    at.n_budgets = most - at.least_nodes + 1;
    at.best = upper;
    at.choice = {};
    at.branching = true;
    at.lower.assign(2 * static_cast<std::size_t>(at.n_budgets) * static_cast<std::size_t>(at.node.stride()), search_.floor());
    if (search_.prices.any()) at.prices.compare(at.node.active(), depth - 1, price_work_);
    if (index > 0 && similar()) inherit_bounds(level(index - 1), at);
    at.order = at.node.active();

    if (at.leaf < at.best) at.best = at.leaf;
    const auto closed = [&] { return may_close && at.lower_bound(search_) >= at.best; };  // nothing to be found here
    if (closed()) return at.order.clear();
    if (switches.depth_two) {
        load_pair_table(at, similar());
        bound_by_labels(at);
        if (closed()) return at.order.clear();
        const double* look = at.look.as<double>();
        const double two_levels = look_ahead(at, std::min(nodes, 3));
        if (two_levels < at.best) {
            at.best = two_levels;
            at.choice.feature = kPairTree;
        }
        if (switches.lookahead_order)
            std::sort(at.order.begin(), at.order.end(), [look](std::int32_t a, std::int32_t b) { return look[a] > look[b] || (look[a] == look[b] && a < b); });
    }
    keys_.assign(path_);
    if (!switches.depth_two && similar()) load_pair_table(at, true);
}

// All features of the node, in order, as long as there is something to gain.
void Worker::try_features(int index, double enough) {
    Level& at = level(index);
    const bool keyed = at.depth == 3 && search_.options.switches.depth_two && uses_paths();
    constexpr std::size_t kAhead = 4;
    for (std::size_t k = 0; k < at.order.size() && at.best > enough; ++k) {
        if (keyed && k + kAhead < at.order.size()) {
            const int feature = at.node.feature(at.order[k + kAhead]);
            for (int side = 0; side < 2; ++side)
                search_.pairs.prefetch(keys_.child(PathKeyMaker::literal(feature, side == 1), at.least_nodes));
        }
        try_feature(index, at.order[k]);
    }
}

void Worker::try_feature(int index, int lane) {
    Level& at = level(index);
    if (at.depth == 3 && search_.options.switches.depth_two)
        try_pairs(at, lane);
    else
        try_children(index, lane);
}

// A lower bound for all trees of the node, from what is known of its children.
double Level::lower_bound(const Search& search) {
    double bound_of_all = leaf;
    for (int k = 0; k < n_budgets; ++k) {
        const double* left = &bound(least_nodes + k, false, 0);
        const double* right = &bound(least_nodes + n_budgets - 1 - k, true, 0);
        for (const std::int32_t f : node.active()) bound_of_all = std::min(bound_of_all, joined(left[f], right[f], branch[static_cast<std::size_t>(f)]));
    }
    return std::max(bound_of_all, search.floor());
}

// Whether some division of the node budget could still beat the best tree with this feature.
bool Level::open(int lane) {
    const double cost = branch[static_cast<std::size_t>(lane)];
    for (int k = 0; k < n_budgets; ++k)
        if (joined(bound(least_nodes + k, false, lane), bound(least_nodes + n_budgets - 1 - k, true, lane), cost) < best) return true;
    return false;
}

// Whether the rows that have a feature are the fewer ones.
bool Worker::smaller_side(const Node& node, int lane) {
    return 2 * node.n_with(lane) <= node.n_slots();
}

// Three levels left: the children are pair problems, taken from the path table or solved in one go.
void Worker::try_pairs(Level& at, int lane) {
    const double branch = at.branch[static_cast<std::size_t>(lane)];
    const int most = at.least_nodes + at.n_budgets - 1;
    {
        const SharedLock lock(at);
        if (!at.open(lane)) {
            ++statistics.pruned_bound;
            ++statistics.pruned_similarity;  // nothing else was known of the children yet
            return;
        }
    }
    double value[2][4];  // [side][budget]
    const bool known[2] = {find_pairs(at, lane, false, value[0]), find_pairs(at, lane, true, value[1])};
    // One side may rule the feature out: one that is known, else the larger one.
    const bool solving = !known[0] || !known[1];
    const bool small_side = solving && smaller_side(at.node, lane);
    const bool first = known[0] != known[1] ? known[1] : !small_side;
    if (solving) begin_children(at, lane, small_side);
    // The bounds of the siblings come last: the pair weights that they need are made in the buffers of the children.
    const auto push = [&](bool side) {
        for (int n = at.least_nodes; n <= most; ++n)
            if (similar() && value[side][n] > search_.floor()) push_similarity(at, lane, side, n, value[side][n]);
    };
    for (const bool side : {first, !first}) {
        if (!known[side]) solve_child_pairs(at, lane, side, small_side, value[side]);
        const SharedLock lock(at);
        for (int n = at.least_nodes; n <= most; ++n) at.bound(n, side, lane) = value[side][n];
        if (side == first && !known[!first] && !at.open(lane)) {
            ++statistics.pruned_bound;
            push(first);
            return;
        }
    }
    const SharedLock lock(at);
    push(false);
    push(true);
    for (int nl = at.least_nodes; nl <= most; ++nl) {
        const double sum = at.joined(value[0][nl], value[1][at.nodes - 1 - nl], branch);
        if (sum < at.best) {
            at.best = sum;
            at.choice = {at.node.feature(lane), lane, nl};
        }
    }
}

// Looks the child's values up, for every budget it may get.
bool Worker::find_pairs(const Level& at, int lane, bool side, double value[4]) {
    if (!uses_paths()) return false;
    const int literal = PathKeyMaker::literal(at.node.feature(lane), side);
    for (int n = at.least_nodes; n < at.least_nodes + at.n_budgets; ++n) {
        const auto found = search_.pairs.find(keys_.child(literal, n));
        if (!found) return false;
        value[n] = *found;
    }
    ++statistics.cache_hits;
    return true;
}

// Solves a child that is not known, and remembers its values; begin_children() was called.
void Worker::solve_child_pairs(Level& at, int lane, bool side, bool small_side, double value[4]) {
    const Node& node = at.node;
    // Looking at the clock costs little, but not nothing: about once in a million operations.
    work_since_checkpoint_ += static_cast<double>(node.active().size() * node.active().size()) * (node.words() + 4);
    if (work_since_checkpoint_ > 1e6) {
        work_since_checkpoint_ = 0;
        search_.checkpoint(calling_thread_);
    }
    const int most = at.least_nodes + at.n_budgets - 1;
    const PairProblem problem = child_problem(at, lane, small_side, side != small_side);
    const PairBenefit benefit = pair_benefit(node, problem, child_prices_, at.n_budgets == 1 ? most : 0, nullptr);
    node.side_filter(lane, small_side, filter_.data());
    const double small_potential = node.filter_potential(filter_.data());
    const double all = search_.model.ticks * (side == small_side ? small_potential : node.potential() - small_potential);
    const double leaf = all - side_benefit(at, lane, side);
    const int literal = PathKeyMaker::literal(node.feature(lane), side);
    for (int n = at.least_nodes; n <= most; ++n) {
        value[n] = n == 0 ? leaf : std::min(leaf, all - benefit.at_most[n]);
        if (uses_paths()) search_.pairs.insert(keys_.child(literal, n), value[n]);
    }
}

// More levels left: the larger child first, the other one only as far as the first leaves room.
void Worker::try_children(int index, int lane) {
    Level& at = level(index);
    const double branch = at.branch[static_cast<std::size_t>(lane)];
    const int most = at.least_nodes + at.n_budgets - 1;
    const bool first = !smaller_side(at.node, lane);
    for (int nl = most; nl >= at.least_nodes; --nl) {
        double sum = at.maximum ? search_.floor() : branch;
        bool exact = true;
        for (int turn = 0; turn < 2 && exact; ++turn) {
            const bool side = turn == 0 ? first : !first;
            const int own = side ? at.nodes - 1 - nl : nl;
            const int other = at.nodes - 1 - own;
            double room;
            {
                const SharedLock lock(at);
                const double rest = turn == 0 ? at.joined(sum, at.bound(other, !side, lane), 0) : sum;
                if (at.joined(rest, at.bound(own, side, lane), 0) >= at.best) {
                    ++statistics.pruned_bound;
                    if (turn == 0 && at.n_budgets == 1) ++statistics.pruned_similarity;
                    exact = false;
                    break;
                }
                room = at.maximum ? at.best : at.best - rest;
            }
            descend(index, lane, side);
            const Outcome outcome = solve(index + 1, at.depth - 1, own, room);
            ascend();
            const SharedLock lock(at);
            double& bound = at.bound(own, side, lane);
            bound = std::max(bound, outcome.lower);
            if (similar() && outcome.lower > search_.floor()) push_similarity(at, lane, side, own, outcome.lower);
            exact = outcome.exact && outcome.lower < room;
            sum = at.joined(sum, outcome.lower, 0);
        }
        if (!exact) continue;
        const SharedLock lock(at);
        if (sum < at.best) {
            at.best = sum;
            at.choice = {at.node.feature(lane), lane, nl};
        }
    }
}

}  // namespace streed
