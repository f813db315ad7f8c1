// From values back to trees.
//
// The search keeps values, not trees. When it has proven the optimum, the tree is found by walking down again: at
// every node the first feature in look-ahead order that attains the node's value. The values are proven and the
// order depends on the rows alone, so the tree is the same for every number of threads. The cache makes the second
// walk cheap: what comes before the first hit was shown to be worse in the search itself.
#include <algorithm>

#include "search.hpp"

namespace streed {
namespace {

int add_node(Tree& tree, std::int32_t feature) {
    tree.push_back({feature, -1, -1, -1});
    return static_cast<int>(tree.size()) - 1;
}

}  // namespace

int Worker::leaf_tree(Tree& tree) const { return add_node(tree, kLeaf); }

int Worker::lane_of(const Node& node, int feature) const {
    for (const std::int32_t lane : node.active())
        if (node.feature(lane) == feature) return lane;
    return -1;
}

int Worker::stump_tree(int index, Tree& tree) {
    const Level& at = level(index);
    const Node& node = at.node;
    int lane = -1;
    best_stump(at, &lane);
    if (lane < 0) return leaf_tree(tree);
    const int root = add_node(tree, node.feature(lane));
    const int left = leaf_tree(tree);
    const int right = leaf_tree(tree);
    tree[static_cast<std::size_t>(root)].left = left;
    tree[static_cast<std::size_t>(root)].right = right;
    return root;
}

// The best tree of depth two: the best root from the pair table, then a stump or a leaf on either side.
int Worker::pair_tree(int index, int nodes, Tree& tree) {
    Level& at = level(index);
    if (nodes == 1) return stump_tree(index, tree);
    load_pair_table(at);
    const double* look = at.look.as<double>();
    const double value = solve_pairs(at, nodes, at.look.as<double>());
    if (value >= at.leaf) return leaf_tree(tree);
    int lane = at.node.active().front();
    for (const std::int32_t f : at.node.active())
        if (look[f] > look[lane]) lane = f;
    const int root = add_node(tree, at.node.feature(lane));
    double leaf[2], stump[2];
    for (int side = 0; side < 2; ++side) {
        descend(index, lane, side == 1);
        leaf[side] = level(index + 1).leaf;
        stump[side] = best_stump(level(index + 1), nullptr);
        ascend();
    }
    const bool left_splits = at.joined(stump[0], leaf[1], 0) <= at.joined(leaf[0], stump[1], 0);  // if only one of them may
    for (int side = 0; side < 2; ++side) {
        const bool split = nodes >= 3 || left_splits == (side == 0);
        descend(index, lane, side == 1);
        const int child = split ? stump_tree(index + 1, tree) : leaf_tree(tree);
        ascend();
        (side == 0 ? tree[static_cast<std::size_t>(root)].left : tree[static_cast<std::size_t>(root)].right) = child;
    }
    return root;
}

int Worker::construct(int index, int depth, int nodes, double value, Tree& tree) {
    Level& at = level(index);
    normalise(depth, nodes);
    if (depth == 0 || at.leaf <= value) return leaf_tree(tree);
    if (depth == 1) return stump_tree(index, tree);
    if (depth == 2 && search_.options.switches.depth_two) return pair_tree(index, nodes, tree);
    begin_branching(index, depth, nodes, value + 1);
    try_features(index, value);
    if (at.choice.feature == kPairTree) return pair_tree(index, std::min(nodes, 3), tree);
    const Choice choice = at.choice;
    if (choice.lane < 0) throw TaskFailure("the costs of leaves are not the same when they are asked for again");
    const int root = add_node(tree, choice.feature);
    const int right_nodes = nodes - 1 - choice.left_nodes;
    const double values[2] = {at.bound(choice.left_nodes, false, choice.lane), at.bound(right_nodes, true, choice.lane)};
    for (int side = 0; side < 2; ++side) {
        descend(index, choice.lane, side == 1);
        const int child = construct(index + 1, depth - 1, side == 0 ? choice.left_nodes : right_nodes, values[side], tree);
        ascend();
        (side == 0 ? tree[static_cast<std::size_t>(root)].left : tree[static_cast<std::size_t>(root)].right) = child;
    }
    return root;
}

int Worker::lookahead_tree(int index, int depth, int nodes, Tree& tree) {
    Level& at = level(index);
    normalise(depth, nodes);
    const double leaf = at.leaf;
    if (depth == 0 || leaf <= search_.least_split() || at.node.active().empty()) return leaf_tree(tree);
    if (depth <= 2) return pair_tree(index, nodes, tree);
    search_.checkpoint(calling_thread_);
    load_pair_table(at);
    const double* look = at.look.as<double>();
    const double value = solve_pairs(at, 3, at.look.as<double>());
    if (value >= leaf) return leaf_tree(tree);
    if (search_.reduced.bounded && value <= 3 * search_.branch_cost()) return pair_tree(index, 3, tree);
    int lane = at.node.active().front();
    for (const std::int32_t f : at.node.active())
        if (look[f] > look[lane]) lane = f;
    const int root = add_node(tree, at.node.feature(lane));
    for (int side = 0; side < 2; ++side) {
        descend(index, lane, side == 1);
        const int child = lookahead_tree(index + 1, depth - 1, side == 0 ? (nodes - 1) / 2 : nodes - 1 - (nodes - 1) / 2, tree);
        ascend();
        (side == 0 ? tree[static_cast<std::size_t>(root)].left : tree[static_cast<std::size_t>(root)].right) = child;
    }
    return root;
}

int Worker::recall(int index, int depth, int nodes, Tree& tree) {
    Level& at = level(index);
    normalise(depth, nodes);
    if (depth <= 2 || !search_.options.switches.cache) return lookahead_tree(index, depth, nodes, tree);
    const auto entry = search_.subproblems.find(cache_key(at, depth, nodes));
    if (!entry || !entry->exact) return lookahead_tree(index, depth, nodes, tree);
    if (entry->feature == kLeaf) return leaf_tree(tree);
    if (entry->feature == kPairTree) return pair_tree(index, std::min(nodes, 3), tree);
    const int lane = lane_of(at.node, entry->feature);
    const int root = add_node(tree, entry->feature);
    for (int side = 0; side < 2; ++side) {
        descend(index, lane, side == 1);
        const int child = recall(index + 1, depth - 1, side == 0 ? entry->left_nodes : nodes - 1 - entry->left_nodes, tree);
        ascend();
        (side == 0 ? tree[static_cast<std::size_t>(root)].left : tree[static_cast<std::size_t>(root)].right) = child;
    }
    return root;
}

}  // namespace streed
