// Subproblems with three levels or more, each with a value for every number of branching nodes.
#include "sizes/worker.hpp"

#include <algorithm>
#include <limits>

namespace streed {
namespace {

constexpr double kIdle = 1e300;  // bound of children in idle lanes: no sum with it is the least
constexpr double kNever = -std::numeric_limits<double>::infinity();  // of a size that is not wanted

std::size_t at_size(int nodes) { return static_cast<std::size_t>(nodes); }

// No value is larger, in ticks; see search.cpp.
double most_ticks(const Search& search) {
    if (!search.reduced.bounded || search.has_function()) return std::numeric_limits<double>::infinity();
    return search.reduced.grain / search.to_units(1.0) * search.reduced.total;
}

}  // namespace

SizeCache::SizeCache(Search& search)
    : n_literals(2 * static_cast<int>(search.reduced.features.size())),
      records(search.memory, 3 * static_cast<std::size_t>(n_literals), most_ticks(search),
              search.options.n_threads > 1),
      search_(search) {}

void SizeCache::store(const std::string& key, const SizeLevel& own, const double* upper) {
    const Lock lock(*this);
    const std::size_t n = at_size(own.most + 1);
    const std::size_t bytes = key.size() + n * (sizeof(double) + 1 + sizeof(SizeChoice)) + 160;
    auto at = entries_.find(key);
    if (at == entries_.end()) {
        if (!search_.memory.fits(bytes)) clear();
        if (!search_.memory.fits(bytes)) return;
        search_.memory.take(bytes);
        entry_bytes_ += bytes;
        at = entries_
                 .emplace(key, SizeEntry{std::vector<double>(n, kNever), std::vector<char>(n, 0),
                                         std::vector<SizeChoice>(n)})
                 .first;
    }
    SizeEntry& entry = at->second;
    for (std::size_t k = 0; k < n; ++k) {
        if (entry.exact[k] != 0) continue;
        const bool exact = own.found[k] != 0 && own.best[k] < upper[k];
        entry.lower[k] = exact ? own.best[k] : std::max(entry.lower[k], own.lower[k]);
        entry.exact[k] = exact ? 1 : 0;
        if (exact) entry.choice[k] = own.choice[k];
    }
}

void SizeCache::clear() {
    search_.memory.give(entry_bytes_);
    entry_bytes_ = 0;
    entries_.clear();
    records.shrink();
}

void SizeCache::shrink() {
    const Lock lock(*this);
    if (search_.memory.exceeded()) clear();
}

SizeLevel& SizeWorker::sizes(int index) {
    if (index == 0) return root_sizes_;
    const std::size_t at = static_cast<std::size_t>(index - 1);
    while (below_.size() <= at) below_.push_back(std::make_unique<SizeLevel>());
    return *below_[at];
}

void SizeWorker::rank_lanes() {
    const Level& root = level(0);
    SizeLevel& own = sizes(0);
    own.rank.assign(static_cast<std::size_t>(root.node.stride()), 0);
    for (std::size_t k = 0; k < root.order.size(); ++k)
        own.rank[static_cast<std::size_t>(root.order[k])] = static_cast<int>(k);
}

// [nodes], the costs that a tree with the feature in this lane must be below. Of equally good features the
// first one in the order stays, as with one thread: one that comes before the best so far may cost as much,
// and costs are whole numbers.
const double* SizeWorker::to_beat(const SizeLevel& own, int lane) {
    if (own.rank.empty() || lane < 0) return own.best.data();
    beat_ = own.best;
    for (std::size_t k = 0; k < beat_.size(); ++k) {
        const int found = own.choice[k].lane;
        if (found >= 0 &&
            own.rank[static_cast<std::size_t>(lane)] < own.rank[static_cast<std::size_t>(found)])
            beat_[k] += 1;
    }
    return beat_.data();
}

// A tree is a tree of all larger sizes, too.
void SizeWorker::offer(SizeLevel& own, int nodes, double value, const SizeChoice& choice) {
    const double* beat = to_beat(own, choice.lane);
    for (int k = nodes; k <= own.most; ++k) {
        if (value >= beat[at_size(k)]) continue;
        own.best[at_size(k)] = value;
        own.choice[at_size(k)] = choice;
        own.found[at_size(k)] = 1;
    }
}

void SizeWorker::solve_sizes(int index, int depth, int most, const double* upper, double* lower) {
    Level& at = level(index);
    const double least = std::min(at.leaf, search.least_split());
    if (at.leaf <= search.least_split() || at.node.active().empty()) {
        std::fill_n(lower, most + 1, at.leaf);
        return;
    }
    if (std::all_of(upper, upper + most + 1, [&](double limit) { return limit <= least; })) {
        std::fill_n(lower, most + 1, least);
        lower[0] = at.leaf;
        return;
    }
    ++statistics.nodes;
    begin(index, depth, most, upper);
    for (std::size_t k = 0; k < at.order.size(); ++k) try_lane(index, at.order[k]);
    if (depth == 3) record_vectors(at);
    SizeLevel& own = sizes(index);
    lower_bounds(index);
    std::copy_n(own.lower.begin(), most + 1, lower);
    if (search.options.switches.cache) {
        cache_key(depth, most, at.key);
        cache_.store(at.key, own, upper);
    }
}

// As begin_branching(): bounds that are known, the best tree of two levels, the order of the features. Trees
// with one branching node under a child are known from the pair table, but for leaf functions.
void SizeWorker::begin(int index, int depth, int most, const double* upper) {
    Level& at = level(index);
    SizeLevel& own = sizes(index);
    checkpoint();
    if (search.memory.exceeded()) cache_.shrink();
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    at.depth = depth;
    at.nodes = most;
    at.least_nodes = 0;
    at.n_budgets = 1 + (depth == 3 ? 3 : std::min(full_tree(depth - 1), most - 1));
    at.branching = true;
    at.lower.assign(2 * static_cast<std::size_t>(at.n_budgets) * stride, kIdle);
    for (std::size_t row = 0; row < 2 * static_cast<std::size_t>(at.n_budgets); ++row)
        for (const std::int32_t f : at.node.active())
            at.lower[row * stride + static_cast<std::size_t>(f)] = search.floor();
    own.most = most;
    own.best.assign(upper, upper + most + 1);
    own.found.assign(at_size(most + 1), 0);
    own.choice.assign(at_size(most + 1), {});
    own.rank.clear();
    if (search.prices.any()) at.prices.prepare_bounds(at.node.active(), depth - 1, price_work_);
    if (index > 0 && similarity.on) inherit(level(index - 1), at);
    keys.assign(path);
    if (depth == 3) recall_vectors(at);
    bound_leaves(at);
    raise_bounds(at);
    offer(own, 0, at.leaf, {});
    at.order = at.node.active();
    drop_closed_lanes(at, own);
    if (at.order.empty()) return;
    tables.load(at, similarity.on);
    label_bounds_.bound(at);
    look(at, own);
    if (depth == 3)
        for (const std::int32_t f : at.node.active())
            if (at.known[static_cast<std::size_t>(f)] != 0 ||
                at.known[stride + static_cast<std::size_t>(f)] != 0)
                push_vectors(at, f);
    drop_closed_lanes(at, own);
    if (search.options.switches.lookahead_order) sort_by_look(at);
    at.fused = depth == 3 && !at.order.empty() && three_levels.can_fuse(at.node);
    if (at.fused) three_levels.begin_fused(at);
}

// Children without a branching node.
void SizeWorker::bound_leaves(Level& at) {
    const Node& node = at.node;
    const double ticks = search.model.ticks;
    std::vector<std::uint64_t>& filter = tables.spare.filter;
    filter.resize(static_cast<std::size_t>(node.words()));
    const bool plain = node.counting() && search.model.scale == nullptr && !search.has_function();
    for (const std::int32_t f : node.active()) {
        double with = 0;
        if (plain && !node.has_light()) {
            with = node.n_with(f);
        } else if (plain) {
            with = search.kernels.count_and(node.column(f), node.heavy().data(), node.words());
        } else if (!search.has_function()) {
            node.side_filter(f, true, filter.data());
            with = node.filter_potential(filter.data());
        }
        at.bound(0, false, f) = ticks * (node.potential() - with) - pairs.side_benefit(at, f, false);
        at.bound(0, true, f) = ticks * with - pairs.side_benefit(at, f, true);
    }
}

// What holds with more nodes holds with fewer.
void SizeWorker::raise_bounds(Level& at) {
    const std::size_t row = 2 * static_cast<std::size_t>(at.node.stride());
    for (int n = at.n_budgets - 2; n > 0; --n) {
        double* to = at.lower.data() + at_size(n) * row;
        for (std::size_t k = 0; k < row; ++k) to[k] = std::max(to[k], to[row + k]);
    }
}

// The similarity bound from the level above, for every number of nodes (similarity.cpp). Prices of tests
// would need what rows pay; they are left alone here.
void SizeWorker::inherit(Level& parent, Level& at) {
    const SharedLock lock(parent);
    if (!parent.branching || !parent.has_pair_weights || search.prices.any()) return;
    const std::size_t stride = static_cast<std::size_t>(parent.node.stride());
    const std::size_t entry = static_cast<std::size_t>(at.entry_lane);
    const double* both = parent.pair_weights.as<double>() + entry * stride;
    const double* single = parent.single_weight.data();
    const double own = at.entry_side ? single[entry] : parent.all_weight - single[entry];
    const double slack = similarity.rounding_slack(parent.nodes), floor = search.floor();
    const int most = std::min(at.n_budgets, parent.n_budgets);
    for (const std::int32_t h : at.node.active()) {
        const std::size_t g = static_cast<std::size_t>(at.node.parent_lane(h));
        const double on_right = at.entry_side ? both[g] : single[g] - both[g];
        const double away[2] = {parent.all_weight - single[g] - (own - on_right), single[g] - on_right};
        for (int side = 0; side < 2; ++side) {
            const double less = slack + search.per_weight() * away[side];
            for (int n = 1; n < most; ++n)
                at.bound(n, side == 1, h) = std::max(floor,
                                                     parent.bound(n, side == 1, static_cast<int>(g)) - less);
        }
    }
}

// Trees of two levels, with up to one, two and three nodes; the benefits of all roots for the order.
void SizeWorker::look(Level& at, SizeLevel& own) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    PairProblem problem = pairs.problem(at);
    own.sides.resize(2 * stride);
    if (!search.has_function()) problem.sides = own.sides.data();
    PairBenefit benefit = pairs.benefit(node, problem, at.prices, 3, at.look.as<double>());
    at.two_levels = std::min(at.leaf, pairs.value_of(node, benefit.at_most[3]));
    at.looked = 3;
    if (search.has_function()) benefit = pairs.benefit(node, problem, at.prices, 0, nullptr);
    for (int n = 1; n <= 3; ++n) {
        SizeChoice choice;
        choice.feature = kPairTree;
        choice.nodes[0] = n;
        offer(own, n, pairs.value_of(node, benefit.at_most[n]), choice);
    }
    if (search.has_function()) return;
    for (int side = 0; side < 2; ++side)
        for (const std::int32_t f : node.active()) {
            // The leaf's value and benefit give what the rows of the side cost without benefit.
            const double leaf = at.bound(0, side == 1, f), gained = pairs.side_benefit(at, f, side == 1);
            at.bound(1, side == 1,
                     f) = leaf + gained -
                          own.sides[static_cast<std::size_t>(side) * stride + static_cast<std::size_t>(f)];
        }
}

// Lower bounds of the node for all sizes, from those of its children; values where no feature is open any
// more.
void SizeWorker::lower_bounds(int index) {
    Level& at = level(index);
    SizeLevel& own = sizes(index);
    own.lower.assign(at_size(own.most + 1), at.leaf);
    const std::size_t lanes = at.node.active().empty()
                                  ? 0
                                  : static_cast<std::size_t>(at.node.active().back()) + 1;
    const double* branch = at.branch.data();
    for (int a = 0; a < at.n_budgets; ++a)
        for (int b = 0; b < at.n_budgets && a + b < own.most; ++b) {
            const double* left = &at.bound(a, false, 0);
            const double* right = &at.bound(b, true, 0);
            double least = own.lower[at_size(a + b + 1)];
            for (std::size_t l = 0; l < lanes; ++l) {
                const double sum = left[l] + right[l] + branch[l];
                least = sum < least ? sum : least;
            }
            own.lower[at_size(a + b + 1)] = least;
        }
    for (int k = own.most; k >= 0; --k) {
        double& lower = own.lower[at_size(k)];
        lower = std::max(lower, search.floor());
        if (k < own.most) lower = std::max(lower, own.lower[at_size(k + 1)]);
    }
    for (int k = 0; k <= own.most; ++k) {
        double& lower = own.lower[at_size(k)];
        if (own.found[at_size(k)] != 0) lower = std::min(lower, own.best[at_size(k)]);
    }
}

// Whether some division of some budget could still beat the best tree.
bool SizeWorker::is_open(Level& at, const SizeLevel& own, int lane) {
    const SharedLock lock(at);
    const double* beat = to_beat(own, lane);
    const std::size_t row = 2 * static_cast<std::size_t>(at.node.stride());
    const double* left = &at.bound(0, false, lane);
    const double* right = &at.bound(0, true, lane);
    const double cost = at.branch[static_cast<std::size_t>(lane)];
    for (int a = 0; a < at.n_budgets; ++a) {
        const double with = left[at_size(a) * row] + cost;
        for (int b = 0; b < at.n_budgets && a + b < own.most; ++b)
            if (with + right[at_size(b) * row] < beat[at_size(a + b + 1)]) return true;
    }
    return false;
}

// As drop_closed(), for all lanes side by side.
void SizeWorker::drop_closed_lanes(Level& at, SizeLevel& own) {
    if (at.order.empty()) return;
    const std::size_t lanes = static_cast<std::size_t>(at.order.back()) + 1;
    own.open.assign(lanes, 0);
    double* open = own.open.data();
    const double* branch = at.branch.data();
    for (int a = 0; a < at.n_budgets; ++a)
        for (int b = 0; b < at.n_budgets && a + b < own.most; ++b) {
            const double* left = &at.bound(a, false, 0);
            const double* right = &at.bound(b, true, 0);
            const double best = own.best[at_size(a + b + 1)];
            for (std::size_t l = 0; l < lanes; ++l)
                open[l] += left[l] + branch[l] + right[l] < best ? 1.0 : 0.0;
        }
    const std::size_t before = at.order.size();
    std::erase_if(at.order, [&](std::int32_t lane) { return open[lane] == 0; });
    statistics.pruned_bound += before - at.order.size();
    statistics.pruned_similarity += before - at.order.size();
}

// All divisions of all budgets. A sum below the best consists of values: a child whose value is not known
// reached the room that the other one had left it.
void SizeWorker::offer_lane(Level& at, SizeLevel& own, int lane) {
    const SharedLock lock(at);
    const double cost = at.branch[static_cast<std::size_t>(lane)];
    const double* beat = to_beat(own, lane);
    for (int a = 0; a < at.n_budgets; ++a)
        for (int b = 0; b < at.n_budgets && a + b < own.most; ++b) {
            const double sum = at.bound(a, false, lane) + cost + at.bound(b, true, lane);
            if (sum >= beat[at_size(a + b + 1)]) continue;
            offer(own, a + b + 1, sum, {at.node.feature(lane), lane, {a, b}});
            beat = to_beat(own, lane);
        }
}

void SizeWorker::try_lane(int index, int lane) {
    Level& at = level(index);
    SizeLevel& own = sizes(index);
    if (!is_open(at, own, lane)) {
        ++statistics.pruned_bound;
        return;
    }
    if (at.depth == 3)
        try_pairs_of(at, own, lane);
    else
        try_below(index, lane);
}

// Costs below which a value of a child is of use to some budget of the node, [nodes].
void SizeWorker::rooms(Level& at, const SizeLevel& own, int lane, bool side, std::vector<double>& room) {
    const double cost = at.branch[static_cast<std::size_t>(lane)];
    const double* beat = to_beat(own, lane);
    room.assign(at_size(at.n_budgets), kNever);
    for (int a = 0; a < at.n_budgets; ++a)
        for (int b = 0; b < at.n_budgets && a + b < own.most; ++b)
            room[at_size(a)] = std::max(room[at_size(a)],
                                        beat[at_size(a + b + 1)] - cost - at.bound(b, !side, lane));
}

// More levels left: the larger child first, the other one as far as the first leaves room.
void SizeWorker::try_below(int index, int lane) {
    Level& at = level(index);
    const bool first = !smaller_side(at.node, lane);
    for (const bool side : {first, !first}) {
        if (side != first && !is_open(at, sizes(index), lane)) {
            ++statistics.pruned_bound;
            return;
        }
        solve_below(index, lane, side);
    }
    offer_lane(at, sizes(index), lane);
}

// Raises the bounds of a child to its values, as far as there is room for them. The cache is asked first;
// only unknown sizes are searched.
void SizeWorker::solve_below(int index, int lane, bool side) {
    Level& at = level(index);
    const int most = at.n_budgets - 1, depth = at.depth - 1;
    const int feature = at.node.feature(lane);
    path.push_back(PathKeyMaker::literal(feature, side));
    tested.push_back(feature);
    std::vector<char> exact(at_size(at.n_budgets), 0);
    std::vector<double> before(at_size(at.n_budgets)), lower(at_size(at.n_budgets), kNever), room;
    if (search.options.switches.cache) {
        Level& child = below(index);
        cache_key(depth, most, child.key);
        if (cache_.find(child.key, [&](const SizeEntry& entry) {
                std::copy_n(entry.lower.begin(), most + 1, lower.begin());
                std::copy_n(entry.exact.begin(), most + 1, exact.begin());
            }))
            ++statistics.cache_hits;
    }
    const auto raise = [&](int from) {
        for (int n = from; n <= most; ++n) {
            double& bound = at.bound(n, side, lane);
            bound = std::max(bound, lower[at_size(n)]);
        }
    };
    bool wanted = false;
    {
        const SharedLock lock(at);
        for (int n = 0; n <= most; ++n) before[at_size(n)] = at.bound(n, side, lane);
        raise(0);
        rooms(at, sizes(index), lane, side, room);
        for (int n = 0; n <= most; ++n) {
            double& limit = room[at_size(n)];
            if (exact[at_size(n)] != 0 || n < first_unknown() || at.bound(n, side, lane) >= limit)
                limit = kNever;
            wanted = wanted || limit > kNever;
        }
    }
    if (wanted) {
        load_child(index, lane, side);
        solve_sizes(index + 1, depth, most, room.data(), lower.data());
    }
    ascend();
    const SharedLock lock(at);
    if (wanted) raise(first_unknown());
    if (!similarity.on) return;
    for (int n = first_unknown(); n <= most; ++n)
        if (at.bound(n, side, lane) > before[at_size(n)])
            similarity.push(at, lane, side, n, at.bound(n, side, lane));
}

}  // namespace streed
