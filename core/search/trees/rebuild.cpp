// From values back to trees (the paper's Algorithm 1 keeps trees with its values, which would take most of
// the memory and of the time in a search that only compares numbers).
//
// The search keeps values, not trees. When it has proven the optimum, the tree is found by walking down
// again: at every node the first feature in look-ahead order that attains the node's value. The values are
// proven and the order depends on the rows alone, so the tree is the same for every number of threads. The
// cache makes the second walk cheap: what comes before the first hit was shown to be worse in the search
// itself.
#include "search/trees/rebuild.hpp"

#include <algorithm>
#include <vector>

#include "search/worker.hpp"

namespace streed {
namespace {

int add_node(Tree& tree, std::int32_t feature) {
    tree.push_back({feature, -1, -1, -1});
    return static_cast<int>(tree.size()) - 1;
}

// A branching node with two leaves, or a leaf.
int add_stump(Tree& tree, std::int32_t feature) {
    const int root = add_node(tree, feature);
    if (feature == kLeaf) return root;
    const int left = add_node(tree, kLeaf);
    const int right = add_node(tree, kLeaf);
    tree[static_cast<std::size_t>(root)].left = left;
    tree[static_cast<std::size_t>(root)].right = right;
    return root;
}

// Puts a tree into another one; returns where its root is.
int append(Tree& tree, const Tree& part) {
    const std::int32_t offset = static_cast<std::int32_t>(tree.size());
    for (TreeNode node : part) {
        if (node.feature >= 0) {
            node.left += offset;
            node.right += offset;
        }
        tree.push_back(node);
    }
    return offset;
}

void set_child(Tree& tree, int root, int side, int child) {
    TreeNode& node = tree[static_cast<std::size_t>(root)];
    (side == 0 ? node.left : node.right) = child;
}

// The benefit of rows as a leaf, and of the best split of them.
struct Stump {
    double leaf;
    double split;
    std::int32_t feature;  // of the root problem; kLeaf if no split is better
};

// `all` gives the sum of a channel over the rows, `with` over those that have a feature, `price` what a row
// pays to test it.
template <class All, class With, class Price>
Stump best_split(const LeafModel& model, const Node& node, All&& all, With&& with, Price&& price) {
    const double leaf = leaf_benefit(model, all);
    Stump best{leaf, leaf, kLeaf};
    const double rows = model.counted ? all(model.n_values) : 0;
    for (const std::int32_t f : node.active()) {
        if (model.counted) {
            const double on_right = with(model.n_values, f);
            if (on_right < model.min_samples_leaf || rows - on_right < model.min_samples_leaf) continue;
        }
        const double value = leaf_benefit(model, [&](int k) { return with(k, f); }) +
                             leaf_benefit(model, [&](int k) { return all(k) - with(k, f); }) -
                             model.branch_cost - rows * price(f);
        if (value > best.split) best = {leaf, value, node.feature(f)};
    }
    return best;
}

}  // namespace

Rebuilder::Rebuilder(Worker& worker) : worker_(worker), search_(worker.search) {}

int Rebuilder::leaf(Tree& tree) const { return add_node(tree, kLeaf); }

int Rebuilder::stump(int index, Tree& tree) {
    const Level& at = worker_.level(index);
    int lane = -1;
    worker_.pairs.best_stump(at, &lane);
    return add_stump(tree, lane < 0 ? kLeaf : at.node.feature(lane));
}

// The tree of a pair problem that is better with a split: the best root, then a stump or a leaf on either
// side. `look` has the benefit of every root, `rows` the rows of the problem.
Tree Rebuilder::pair_subtree(const Node& node, const PairProblem& problem, const NodePrices& prices,
                             const std::uint64_t* rows, int nodes, const double* look) {
    const auto count = [&](const std::uint64_t* bits) {
        return search_.kernels.count_and(bits, rows, node.words());
    };
    const int n = count(rows);
    int root = -1;
    for (const std::int32_t f : node.active()) {
        if (root >= 0 && look[f] <= look[root]) continue;
        if (const int with = count(node.column(f)); with > 0 && with < n) root = f;
    }
    if (root < 0)
        throw std::logic_error(
            "internal error, please report it: a split was promised, and no feature splits the rows");
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const auto value = [&](const void* numbers, std::size_t at) {
        return lane_value(node.lane_type(), numbers, at);
    };
    const auto single = [&](int c, int f) {
        return value(problem.singles, static_cast<std::size_t>(c) * stride + static_cast<std::size_t>(f));
    };
    const auto both = [&](int c, int f) {  // of some tables only the half above the diagonal is filled
        const std::size_t cell =
            (static_cast<std::size_t>(c) * stride + static_cast<std::size_t>(std::min(root, f))) * stride +
            static_cast<std::size_t>(std::max(root, f));
        return problem.minuend == nullptr ? value(problem.table, cell)
                                          : value(problem.minuend, cell) - value(problem.table, cell);
    };
    const PairPrices lanes = prices.pairs();
    const auto price = [&](int f) {
        return search_.prices.any() ? lanes.after(static_cast<std::size_t>(root), static_cast<std::size_t>(f))
                                    : 0.0;
    };
    Stump stump[2];
    for (int side = 0; side < 2; ++side) {
        const auto all = [&](int c) {
            return side == 1 ? single(c, root)
                             : value(problem.totals, static_cast<std::size_t>(c)) - single(c, root);
        };
        const auto with = [&](int c, int f) { return side == 1 ? both(c, f) : single(c, f) - both(c, f); };
        stump[side] = best_split(search_.model, node, all, with, price);
    }
    const bool left_splits = stump[0].split + stump[1].leaf >=
                             stump[0].leaf + stump[1].split;  // if only one of them may
    Tree tree{{node.feature(root), -1, -1, -1}};
    for (int side = 0; side < 2; ++side) {
        const bool split = nodes >= 3 || left_splits == (side == 0);
        set_child(tree, 0, side, add_stump(tree, split ? stump[side].feature : kLeaf));
    }
    return tree;
}

// The best tree of depth two of a node.
int Rebuilder::pair(int index, int nodes, Tree& tree) {
    Level& at = worker_.level(index);
    if (nodes == 1) return stump(index, tree);
    worker_.tables.load(at);
    if (worker_.pairs.look_ahead(at, nodes) >= at.leaf) return leaf(tree);
    const double* look = at.look.as<double>();
    if (search_.has_function()) {
        int lane = at.node.active().front();
        for (const std::int32_t f : at.node.active())
            if (look[f] > look[lane]) lane = f;
        return grown_pair(index, lane, nodes, tree);
    }
    const PairProblem problem{at.table.data(), nullptr, at.node.singles(), at.node.totals()};
    return append(tree, pair_subtree(at.node, problem, at.prices, at.node.valid().data(), nodes, look));
}

// Subtree of a pair problem for leaf functions, which are asked about the children themselves.
int Rebuilder::grown_pair(int index, int lane, int nodes, Tree& tree) {
    Level& at = worker_.level(index);
    const int root = add_node(tree, at.node.feature(lane));
    double leaf[2], stump[2];
    int feature[2];
    for (int side = 0; side < 2; ++side) {
        worker_.descend(index, lane, side == 1);
        const Level& below = worker_.level(index + 1);
        int second = -1;
        leaf[side] = below.leaf;
        stump[side] = worker_.pairs.best_stump(below, &second);
        feature[side] = second < 0 ? kLeaf : below.node.feature(second);
        worker_.ascend();
    }
    const bool left_splits = at.joined(stump[0], leaf[1], 0) <=
                             at.joined(leaf[0], stump[1], 0);  // if only one of them may
    for (int side = 0; side < 2; ++side) {
        const bool split = nodes >= 3 || left_splits == (side == 0);
        set_child(tree, root, side, add_stump(tree, split ? feature[side] : kLeaf));
    }
    return root;
}

// The best tree of depth two of a child, from the sums of its parent; worker_.pairs.begin_children() was
// called.
Tree Rebuilder::child_subtree(const Level& at, int lane, bool side, bool small_side, int nodes) {
    const Node& node = at.node;
    const PairProblem problem = worker_.pairs.child_problem(at, lane, small_side, side != small_side);
    const auto value = [&](const void* numbers, std::size_t at_number) {
        return lane_value(node.lane_type(), numbers, at_number);
    };
    const auto all = [&](int c) { return value(problem.totals, static_cast<std::size_t>(c)); };
    Tree tree;
    if (nodes == 1) {
        const auto with = [&](int c, int f) {
            return value(problem.singles, static_cast<std::size_t>(c * node.stride() + f));
        };
        const auto price = [&](int f) {
            return search_.prices.any() ? worker_.pairs.child_prices().now[static_cast<std::size_t>(f)] : 0.0;
        };
        add_stump(tree, best_split(search_.model, node, all, with, price).feature);
        return tree;
    }
    std::vector<double> look(static_cast<std::size_t>(node.stride()));
    const PairBenefit benefit = worker_.pairs.benefit(node, problem, worker_.pairs.child_prices(), nodes,
                                                      look.data());
    if (benefit.at_most[std::min(nodes, 3)] <= leaf_benefit(search_.model, all)) return {TreeNode{}};
    std::vector<std::uint64_t> rows(static_cast<std::size_t>(node.words()));
    node.side_filter(lane, side, rows.data());
    return pair_subtree(node, problem, worker_.pairs.child_prices(), rows.data(), nodes, look.data());
}

// A branching node and what `grow` makes of its children; two levels more come from the sums of the node
// itself.
template <class Grow>
int Rebuilder::split(int index, int lane, int depth, const int nodes[2], Tree& tree, Grow&& grow) {
    Level& at = worker_.level(index);
    const int root = add_node(tree, at.node.feature(lane));
    if (depth == 3 && search_.options.switches.depth_two && !search_.has_function()) {
        worker_.tables.load(at);
        const bool small_side = smaller_side(at.node, lane);
        worker_.pairs.begin_children(at, lane, small_side, true);
        Tree below[2];
        for (const bool side : {small_side, !small_side}) {
            int levels = 2, n = nodes[side];
            normalise(levels, n);
            below[side] = n == 0 ? Tree{TreeNode{}} : child_subtree(at, lane, side, small_side, n);
        }
        for (int side = 0; side < 2; ++side) {
            const int child = append(tree, below[side]);
            set_child(tree, root, side, child);
        }
        return root;
    }
    for (int side = 0; side < 2; ++side) {
        worker_.descend(index, lane, side == 1);
        const int child = grow(side, nodes[side]);
        worker_.ascend();
        set_child(tree, root, side, child);
    }
    return root;
}

// Builds the tree of a node that is proven to have this value. The choice of the search is taken if it is the
// first feature in order that attains the value; else the node is searched again.
int Rebuilder::construct(int index, int depth, int nodes, double value, Tree& tree) {
    Level& at = worker_.level(index);
    normalise(depth, nodes);
    if (depth == 0 || at.leaf <= value) return leaf(tree);
    if (depth == 1) return stump(index, tree);
    if (depth == 2 && search_.options.switches.depth_two) return pair(index, nodes, tree);
    if (search_.options.switches.cache && !search_.has_function()) {
        const auto entry = worker_.find_entry(at, depth, nodes);
        if (entry && entry->exact && entry->feature == kPairTree)
            return pair(index, std::min(nodes, 3), tree);
        if (const int lane = entry && entry->exact ? lane_of(at.node, entry->feature) : -1; lane >= 0) {
            double rest = value - at.branch[static_cast<std::size_t>(lane)];  // for the children
            const int budgets[2] = {entry->left_nodes, nodes - 1 - entry->left_nodes};
            return split(index, lane, depth, budgets, tree, [&](int side, int n) {
                const double own =
                    side == 1 ? rest
                              : worker_.solve(index + 1, depth - 1, n, rest - search_.floor() + 1).lower;
                rest -= own;
                return construct(index + 1, depth - 1, n, own, tree);
            });
        }
    }
    worker_.begin_branching(index, depth, nodes, value + 1);
    worker_.try_features(index, value);
    return construct_choice(index, depth, nodes, tree);
}

// Tree of the choice of the search that the node has just seen, which knows the values of both children.
int Rebuilder::construct_choice(int index, int depth, int nodes, Tree& tree) {
    Level& at = worker_.level(index);
    const Choice choice = at.choice;
    if (choice.feature == kPairTree) return pair(index, std::min(nodes, 3), tree);
    if (choice.lane < 0 && !search_.has_function())
        throw std::logic_error("internal error, please report it: no feature has the value that was proven");
    if (choice.lane < 0)
        throw TaskFailure("the costs of leaves are not the same when they are asked for again");
    const int budgets[2] = {choice.left_nodes, nodes - 1 - choice.left_nodes};
    const double values[2] = {at.bound(budgets[0], false, choice.lane),
                              at.bound(budgets[1], true, choice.lane)};
    return split(index, choice.lane, depth, budgets, tree,
                 [&](int side, int n) { return construct(index + 1, depth - 1, n, values[side], tree); });
}

int Rebuilder::lookahead(int index, int depth, int nodes, Tree& tree) {
    Level& at = worker_.level(index);
    normalise(depth, nodes);
    if (depth == 0 || at.leaf <= search_.least_split() || at.node.active().empty()) return leaf(tree);
    if (depth <= 2) return pair(index, nodes, tree);
    worker_.checkpoint();
    worker_.tables.load(at, index == 0 && search_.similar());  // the root will be searched
    const double* look = at.look.as<double>();
    const double value = worker_.pairs.look_ahead(at, 3);
    if (value >= at.leaf) return leaf(tree);
    if (search_.reduced.bounded && value <= 3 * search_.branch_cost()) return pair(index, 3, tree);
    int lane = at.node.active().front();
    for (const std::int32_t f : at.node.active())
        if (look[f] > look[lane]) lane = f;
    const int budgets[2] = {(nodes - 1) / 2, nodes - 1 - (nodes - 1) / 2};
    return split(index, lane, depth, budgets, tree,
                 [&](int, int n) { return lookahead(index + 1, depth - 1, n, tree); });
}

// The tree of the cache for a node, as far as it has one.
int Rebuilder::recall(int index, int depth, int nodes, Tree& tree) {
    Level& at = worker_.level(index);
    normalise(depth, nodes);
    if (depth <= 2 || !search_.options.switches.cache) return lookahead(index, depth, nodes, tree);
    const auto entry = worker_.find_entry(at, depth, nodes);
    if (!entry || !entry->exact) return lookahead(index, depth, nodes, tree);
    if (entry->feature == kLeaf) return leaf(tree);
    if (entry->feature == kPairTree) return pair(index, std::min(nodes, 3), tree);
    return recall_split(index, lane_of(at.node, entry->feature), depth, nodes, entry->left_nodes, tree);
}

int Rebuilder::recall_split(int index, int lane, int depth, int nodes, int left_nodes, Tree& tree) {
    const int budgets[2] = {left_nodes, nodes - 1 - left_nodes};
    return split(index, lane, depth, budgets, tree,
                 [&](int, int n) { return recall(index + 1, depth - 1, n, tree); });
}

}  // namespace streed
