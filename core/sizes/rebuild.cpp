// From vectors of values back to trees: the choice of the search is kept with every exact value.
#include <algorithm>
#include <limits>

#include "sizes/worker.hpp"

namespace streed {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

// A subproblem whose choice was given back with the cache is searched again, for this number of nodes alone.
int SizeWorker::build(int index, int depth, int nodes, Tree& tree) {
    Level& at = level(index);
    int levels = depth, n = nodes;
    normalise(levels, n);
    if (levels == 0) return rebuild.leaf(tree);
    if (levels <= 2) return levels == 1 ? rebuild.stump(index, tree) : rebuild.pair(index, n, tree);
    if (at.leaf <= search.least_split() || at.node.active().empty()) return rebuild.leaf(tree);
    const int most = std::min(full_tree(depth), most_ - index);
    cache_key(depth, most, at.key);
    const std::size_t wanted = static_cast<std::size_t>(nodes);
    SizeChoice choice;
    bool exact = false;
    cache_.find(at.key, [&](const SizeEntry& entry) {
        exact = entry.exact[wanted] != 0;
        choice = entry.choice[wanted];
    });
    if (exact) return build_choice(index, depth, choice, tree);
    std::vector<double> upper(static_cast<std::size_t>(most) + 1, kNever), lower(upper);
    upper[wanted] = std::numeric_limits<double>::infinity();
    solve_sizes(index, depth, most, upper.data(), lower.data());
    return build_choice(index, depth, SizeChoice(sizes(index).choice[wanted]), tree);
}

int SizeWorker::build_choice(int index, int depth, const SizeChoice& choice, Tree& tree) {
    if (choice.feature == kLeaf) return rebuild.leaf(tree);
    if (choice.feature == kPairTree) return rebuild.pair(index, choice.nodes[0], tree);
    const int lane = lane_of(level(index).node, choice.feature);
    if (lane < 0) throw TaskFailure("the costs of leaves are not the same when they are asked for again");
    tree.push_back({choice.feature, -1, -1, -1});
    const std::size_t root = tree.size() - 1;
    for (int side = 0; side < 2; ++side) {
        descend(index, lane, side == 1);
        const int child = build(index + 1, depth - 1, choice.nodes[side], tree);
        ascend();
        (side == 0 ? tree[root].left : tree[root].right) = child;
    }
    return static_cast<int>(root);
}

}  // namespace streed
