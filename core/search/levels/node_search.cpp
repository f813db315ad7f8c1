// One subproblem (paper, Algorithm 1): first the cache, then trivial cases, else the search over its
// features.
//
// The cache is asked before the rows of a child are loaded, by a key that the path alone gives: rows
// that are loaded first are wasted work where the value is known.
#include <algorithm>
#include <cstring>

#include "search/worker.hpp"

namespace streed {

Level& Worker::below(int index) {
    while (levels_.size() <= static_cast<std::size_t>(index)) levels_.push_back(std::make_unique<Level>());
    return level(index + 1);
}

void Worker::descend(int index, int lane, bool side) {
    const int feature = level(index).node.feature(lane);
    enter_path(feature, side);
    load_child(index, lane, side);
}

// The path has the child's literal already.
void Worker::load_child(int index, int lane, bool side) {
    if (search.has_function() && !search.has_native() && !search.leaf_table.ready())
        checkpoint();  // it may be slow
    Level& child = below(index);
    Level& parent = level(index);
    const std::size_t before = child.node.bytes();
    child.node.load_child(parent.node, lane, side, native.packed_side(parent, lane, side));
    account(child.node.bytes() - before);
    child.entry_lane = lane;
    child.entry_side = side;
    child.above = &parent;
    enter(child);
}

void Worker::enter(Level& at) {
    at.forget();
    at.maximum = search.model.maximum;
    if (search.has_function())
        functions.load_side_costs(at);
    else
        at.leaf = search.leaf_cost(at.node);
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    at.branch.assign(stride, search.branch_cost());
    if (!search.prices.any()) return;
    const std::size_t before = at.prices.bytes();
    search.prices.at_node(at.node, tested, at.prices);
    account(at.prices.bytes() - before);
    for (std::size_t l = 0; l < stride; ++l) at.branch[l] += at.node.rows() * at.prices.now[l];
}

// Exact key of a subproblem: its rows as a bit set where that is short, else its path, then the limits.
void Worker::cache_key(int depth, int nodes, std::string& key) const {
    // Longer row sets are keyed by their path. Up to 3,196 rows (400 bytes) both keys take as long.
    constexpr std::size_t kMaxRowBytes = 8192;
    const std::size_t words = search.reduced.valid.size();
    if (words * 8 <= kMaxRowBytes) {
        key.resize(words * 8);
        const auto put = [&](std::size_t w, std::uint64_t bits) {
            std::memcpy(key.data() + 8 * w, &bits, 8);
        };
        for (std::size_t w = 0; w < words; ++w) {
            std::uint64_t rows = search.reduced.valid[w];
            for (std::size_t k = 0; k < tested.size(); ++k) {
                const std::uint64_t column =
                    search.reduced.columns[static_cast<std::size_t>(tested[k]) * words + w];
                rows &= path[k] == PathKeyMaker::literal(tested[k], true) ? column : ~column;
            }
            put(w, rows);
        }
    } else {
        std::vector<int> sorted = path;
        std::sort(sorted.begin(), sorted.end());
        key.assign(reinterpret_cast<const char*>(sorted.data()), sorted.size() * sizeof(int));
    }
    const int limits[2] = {depth, nodes};
    key.append(reinterpret_cast<const char*>(limits), sizeof(limits));
    if (search.prices.any()) search.prices.append_key(tested, key);
}

std::optional<Outcome> Worker::find_value(const std::string& key, double upper) {
    const auto entry = search.subproblems.find(key);
    if (!entry || !(entry->exact || entry->value >= upper)) return std::nullopt;
    ++statistics.cache_hits;
    return Outcome{entry->value, entry->exact};
}

// The child of a node on one side of a feature. The cache is asked before its rows are loaded.
Outcome Worker::solve_child(int index, int lane, bool side, int nodes, double upper) {
    Level& parent = level(index);
    Level& child = below(index);
    int depth = parent.depth - 1;
    normalise(depth, nodes);
    enter_path(parent.node.feature(lane), side);
    std::optional<Outcome> outcome;
    const bool keyed = search.options.switches.cache && depth > 2;
    if (keyed) {
        cache_key(depth, nodes, child.key);
        outcome = find_value(child.key, upper);
    }
    if (!outcome) {
        load_child(index, lane, side);
        outcome = solve(index + 1, depth, nodes, upper, keyed);
    } else if (search.closed) {
        load_child(index, lane, side);  // what its rows cost as a leaf
        close(child, depth, nodes, *outcome, Reason::cache);
    }
    ascend();
    return *outcome;
}

// A node that is searched with as many nodes as can pay: trees with more of them cost `upper`, or the leaf.
std::optional<Outcome> Worker::solve_affordable(int index, int depth, int nodes, double upper) {
    const double limit = std::min(level(index).leaf, upper);
    const int few = search.affordable_nodes(depth, nodes, limit);
    if (few >= nodes) return std::nullopt;
    const Outcome found = solve(index, depth, few, upper);
    if (found.exact && found.lower < upper) return found;
    return Outcome{std::min(found.lower, (few + 1) * search.branch_cost()), false};
}

Outcome Worker::solve(int index, int depth, int nodes, double upper, bool asked) {
    Level& at = level(index);
    normalise(depth, nodes);
    const double least = search.least_split();
    const auto done = [&](const Outcome& outcome, Reason reason) {
        return close(at, depth, nodes, outcome, reason);
    };
    if (depth == 0 || at.leaf <= least || at.node.active().empty())
        return done({at.leaf, true}, Reason::leaf);
    if (upper <= std::min(at.leaf, least)) return done({std::min(at.leaf, least), false}, Reason::bound);
    if (depth == 1) return done({pairs.best_stump(at, nullptr), true}, Reason::kernel);
    const Switches& switches = search.options.switches;
    if (depth == 2 && switches.depth_two) {
        checkpoint();
        tables.load(at);
        return done({pairs.solve(at, nodes), true}, Reason::kernel);
    }
    if (const auto priced = price_bounds_.solve(at, nodes, upper)) return done(*priced, Reason::price);
    if (const auto few = solve_affordable(index, depth, nodes, upper)) return done(*few, Reason::price);

    if (switches.cache && !asked) {
        cache_key(depth, nodes, at.key);
        if (const auto known = find_value(at.key, upper)) return done(*known, Reason::cache);
    }
    ++statistics.nodes;
    begin_branching(index, depth, nodes, upper, index > 0);
    try_features(index, search.floor());

    const bool found = at.best < at.limit;
    const Outcome outcome{found ? at.best : at.lower_bound(search), found};
    if (switches.cache)
        search.subproblems.store(at.key, {outcome.lower, found, at.choice.feature, at.choice.left_nodes});
    return done(outcome, Reason::branched);
}

}  // namespace streed
