// One subproblem: what is known already, what is trivial, else the search over its features.
#include <algorithm>

#include "search.hpp"

namespace streed {

void Worker::descend(int index, int lane, bool side) {
    if (search_.has_function() && !search_.has_native() && !search_.leaf_table.ready()) search_.checkpoint(calling_thread_);  // it may be slow
    while (levels_.size() <= static_cast<std::size_t>(index)) levels_.push_back(std::make_unique<Level>());
    Level& parent = level(index);
    Level& child = level(index + 1);
    const std::size_t before = child.node.bytes();
    child.node.load_child(parent.node, lane, side);
    account(child.node.bytes() - before);
    child.entry_lane = lane;
    child.entry_side = side;
    child.above = &parent;
    path_.push_back(PathKeyMaker::literal(parent.node.feature(lane), side));
    tested_.push_back(parent.node.feature(lane));
    enter(child);
}

void Worker::enter(Level& at) {
    at.forget();
    at.maximum = search_.model.maximum;
    if (search_.has_function())
        load_side_costs(at);
    else
        at.leaf = search_.leaf_cost(at.node);
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    at.branch.assign(stride, search_.branch_cost());
    if (!search_.prices.any()) return;
    const std::size_t before = at.prices.bytes();
    search_.prices.at_node(at.node, tested_, at.prices);
    account(at.prices.bytes() - before);
    for (std::size_t l = 0; l < stride; ++l) at.branch[l] += at.node.rows() * at.prices.now[l];
}

// Exact key of a subproblem: its rows as a bit set where that is short, else its path, then the limits.
std::string Worker::cache_key(int depth, int nodes) const {
    constexpr std::size_t kMaxRowBytes = 8192;
    std::string key;
    const std::size_t row_bytes = search_.reduced.valid.size() * 8;
    if (row_bytes <= kMaxRowBytes) {
        std::vector<std::uint64_t> rows = search_.reduced.valid;
        for (std::size_t k = 0; k < tested_.size(); ++k) {
            const std::uint64_t* column = search_.reduced.columns.data() + static_cast<std::size_t>(tested_[k]) * rows.size();
            const std::uint64_t flip = path_[k] == PathKeyMaker::literal(tested_[k], true) ? 0 : ~0ull;
            for (std::size_t w = 0; w < rows.size(); ++w) rows[w] &= column[w] ^ flip;
        }
        key.assign(reinterpret_cast<const char*>(rows.data()), row_bytes);
    } else {
        std::vector<int> sorted = path_;
        std::sort(sorted.begin(), sorted.end());
        key.assign(reinterpret_cast<const char*>(sorted.data()), sorted.size() * sizeof(int));
    }
    const int limits[2] = {depth, nodes};
    key.append(reinterpret_cast<const char*>(limits), sizeof(limits));
    if (search_.prices.any()) search_.prices.append_key(tested_, key);
    return key;
}

Outcome Worker::solve(int index, int depth, int nodes, double upper) {
    Level& at = level(index);
    normalise(depth, nodes);
    const double least = search_.least_split();
    if (depth == 0 || at.leaf <= least || at.node.active().empty()) return {at.leaf, true};
    if (upper <= std::min(at.leaf, least)) return {std::min(at.leaf, least), false};
    if (depth == 1) return {best_stump(at, nullptr), true};
    const Switches& switches = search_.options.switches;
    if (depth == 2 && switches.depth_two) {
        search_.checkpoint(calling_thread_);
        load_pair_table(at);
        return {solve_pairs(at, nodes), true};
    }

    std::string key;
    if (switches.cache) {
        key = cache_key(depth, nodes);
        if (const auto entry = search_.subproblems.find(key); entry && (entry->exact || entry->value >= upper)) {
            ++statistics.cache_hits;
            return {entry->value, entry->exact};
        }
    }
    ++statistics.nodes;
    begin_branching(index, depth, nodes, upper, index > 0);
    try_features(index, search_.floor());

    const bool found = at.best < upper;
    const Outcome outcome{found ? at.best : at.lower_bound(search_), found};
    if (switches.cache) search_.subproblems.store(key, {outcome.lower, found, at.choice.feature, at.choice.left_nodes});
    return outcome;
}

}  // namespace streed
