// The loop over branching features of a node with more than two levels left (paper, Algorithm 1).
//
// A feature is tried only if the bounds of its two children leave room below the best tree so far. The child
// with more rows is searched first, and the other one only as far as the first leaves room; a node that fails
// returns the least sum of its children's bounds. Features are not tried in their order but by what the best
// tree of depth two below each is worth: by Gini or entropy the first trees are worse, and more is searched.
#include <algorithm>
#include <cmath>

#include "search/worker.hpp"

namespace streed {

// Look-ahead order: solving the node with two levels only gives, for every feature, the best tree of depth
// two below it. That is an upper bound at once and a far better order than Gini. The order depends on the
// rows alone, never on bounds or on what other threads have found, so that ties are always broken in the same
// way. A node that `may_close` is left without any features if its bounds rule all of them out; a front wants
// them all the same.
void Worker::begin_branching(int index, int depth, int nodes, double upper, bool may_close) {
    Level& at = level(index);
    checkpoint();
    if (index > 0 && give_way) give_way();
    const Switches& switches = search.options.switches;
    at.depth = depth;
    at.nodes = nodes;
    const int most = std::min(nodes - 1, full_tree(depth - 1));
    at.least_nodes = nodes - 1 - most;
    at.n_budgets = most - at.least_nodes + 1;
    at.best = at.limit = upper;
    at.choice = {};
    at.branching = true;
    at.lower.assign(2 * static_cast<std::size_t>(at.n_budgets) * static_cast<std::size_t>(at.node.stride()),
                    search.floor());
    if (search.prices.any()) at.prices.prepare_bounds(at.node.active(), depth - 1, price_work_);
    if (index > 0 && similarity.on) similarity.inherit(level(index - 1), at);
    keys.assign(path);
    if (known_children.kept(at)) known_children.recall(at);
    price_bounds_.bound(at);
    at.order = at.node.active();

    if (at.leaf < at.best) at.best = at.leaf;
    group_bounds_.bound(at);
    const auto closed = [&] {
        return may_close && at.lower_bound(search) >= at.best;
    };  // nothing to be found here
    if (closed()) return at.order.clear();
    if (switches.depth_two) {
        tables.load(at, similarity.on);
        label_bounds_.bound(at);
        if (closed()) return at.order.clear();
        const double two_levels = pairs.look_ahead(at, std::min(nodes, 3));
        if (two_levels < at.best) {
            at.best = two_levels;
            at.choice.feature = kPairTree;
        }
        if (known_children.kept(at)) three_levels.push_known(at);
        if (may_close) drop_closed(at);
        if (switches.lookahead_order) sort_by_look(at);
    }
    if (!switches.depth_two && similarity.on) tables.load(at, true);
    at.fused = !at.order.empty() && known_children.kept(at) && three_levels.can_fuse(at.node);
    if (at.fused) three_levels.begin_fused(at);
    at.screened = false;
    if (!at.order.empty() && known_children.kept(at)) three_levels.begin_screen(at);
}

// Features that are ruled out before any of them is searched need not be sorted: bounds only rise, and the
// best cost only falls.
void Worker::drop_closed(Level& at) {
    const std::size_t before = at.order.size();
    std::erase_if(at.order, [&](std::int32_t lane) { return !at.open(lane); });
    statistics.pruned_bound += before - at.order.size();
    statistics.pruned_similarity += before - at.order.size();
}

// The larger benefit first, then the lower lane. Benefits that are small whole numbers are sorted together
// with their lanes as integers, which takes half the time of sorting lanes by what they point to.
void Worker::sort_by_look(Level& at) {
    const double* look = at.look.as<double>();
    constexpr double kMost = 0x1p45;
    sort_keys_.clear();
    for (const std::int32_t f : at.order) {
        const std::int64_t whole = std::abs(look[f]) < kMost ? static_cast<std::int64_t>(look[f]) : 0;
        if (static_cast<double>(whole) != look[f] || f > 0xffff) break;
        sort_keys_.push_back(-whole * 0x10000 + f);
    }
    if (sort_keys_.size() < at.order.size())
        return std::sort(at.order.begin(), at.order.end(), [look](std::int32_t a, std::int32_t b) {
            return look[a] > look[b] || (look[a] == look[b] && a < b);
        });
    std::sort(sort_keys_.begin(), sort_keys_.end());
    for (std::size_t k = 0; k < sort_keys_.size(); ++k)
        at.order[k] = static_cast<std::int32_t>(sort_keys_[k] & 0xffff);
}

// All features of the node, in order, as long as there is something to gain.
void Worker::try_features(int index, double enough) {
    Level& at = level(index);
    const bool keyed = at.depth == 3 && search.options.switches.depth_two && uses_paths() &&
                       !known_children.kept(at);
    constexpr std::size_t kAhead = 4;  // fetched before they are read; 1 to 16 take 0.98 to 1.01 of the time
    for (std::size_t k = 0; k < at.order.size() && at.best > enough; ++k) {
        if (keyed && k + kAhead < at.order.size()) {
            const int feature = at.node.feature(at.order[k + kAhead]);
            for (int side = 0; side < 2; ++side)
                search.pairs.prefetch(keys.child(PathKeyMaker::literal(feature, side == 1), at.least_nodes));
        }
        if (follows && search.ceiling.load(std::memory_order_relaxed) < ceiling_) [[unlikely]]
            follow_ceiling(index);
        try_feature(index, at.order[k]);
    }
    known_children.record(at);
}

// A better tree was found elsewhere: what that leaves to every level on the path. A node whose best tree is
// no longer of interest has none; its bounds hold as they are.
void Worker::follow_ceiling(int index) {
    ceiling_ = search.ceiling;
    double limit = ceiling_;
    for (int k = 0; k <= index; ++k) {
        Level& at = level(k);
        const SharedLock lock(at);
        at.limit = std::min(at.limit, limit);
        if (at.best >= at.limit) {
            at.best = at.limit;
            at.choice = {};
        }
        if (k < index) limit = at.maximum ? at.best : at.best - rests_[static_cast<std::size_t>(k)];
    }
}

void Worker::try_feature(int index, int lane) {
    Level& at = level(index);
    if (at.depth == 3 && search.options.switches.depth_two)
        known_children.kept(at) ? three_levels.try_kept_pairs(at, lane) : three_levels.try_pairs(at, lane);
    else
        try_children(index, lane);
}

// A lower bound for all trees of the node, from what is known of its children.
double Level::lower_bound(const Search& search) {
    double bound_of_all = leaf;
    for (int k = 0; k < n_budgets; ++k) {
        const double* left = &bound(least_nodes + k, false, 0);
        const double* right = &bound(least_nodes + n_budgets - 1 - k, true, 0);
        for (const std::int32_t f : node.active())
            bound_of_all = std::min(bound_of_all,
                                    joined(left[f], right[f], branch[static_cast<std::size_t>(f)]));
    }
    return std::max(bound_of_all, search.floor());
}

// Whether some division of the node budget could still beat the best tree with this feature.
bool Level::open(int lane) {
    const double cost = branch[static_cast<std::size_t>(lane)];
    for (int k = 0; k < n_budgets; ++k)
        if (joined(bound(least_nodes + k, false, lane), bound(least_nodes + n_budgets - 1 - k, true, lane),
                   cost) < best)
            return true;
    return false;
}

// More levels left: the larger child first, the other one only as far as the first leaves room.
void Worker::try_children(int index, int lane) {
    Level& at = level(index);
    const double branch = at.branch[static_cast<std::size_t>(lane)];
    const int most = at.least_nodes + at.n_budgets - 1;
    const bool first = !smaller_side(at.node, lane);
    for (int nl = most; nl >= at.least_nodes; --nl) {
        double sum = at.maximum ? search.floor() : branch;
        bool exact = true;
        for (int turn = 0; turn < 2 && exact; ++turn) {
            const bool side = turn == 0 ? first : !first;
            const int own = side ? at.nodes - 1 - nl : nl;
            const int other = at.nodes - 1 - own;
            double room, rest;
            {
                const SharedLock lock(at);
                rest = turn == 0 ? at.joined(sum, at.bound(other, !side, lane), 0) : sum;
                if (at.joined(rest, at.bound(own, side, lane), 0) >= at.best) {
                    ++statistics.pruned_bound;
                    if (turn == 0 && at.n_budgets == 1) ++statistics.pruned_similarity;
                    exact = false;
                    break;
                }
                room = at.maximum ? at.best : at.best - rest;
            }
            rests_.resize(std::max(rests_.size(), static_cast<std::size_t>(index) + 1));
            rests_[static_cast<std::size_t>(index)] = at.maximum ? 0 : rest;
            const Outcome outcome = solve_child(index, lane, side, own, room);
            const SharedLock lock(at);
            double& bound = at.bound(own, side, lane);
            bound = std::max(bound, outcome.lower);
            if (similarity.on && outcome.lower > search.floor())
                similarity.push(at, lane, side, own, outcome.lower);
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
