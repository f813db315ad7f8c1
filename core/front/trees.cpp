// Trees of a front search in the features of the problem, and their values counted anew.
#include "front/trees.hpp"

#include <algorithm>

namespace streed {
namespace {

// What a row pays for a test, given those before it.
double price_of(const Prices& prices, int feature, const std::vector<int>& path) {
    bool grouped = false;
    for (const int tested : path) {
        if (prices.attribute[tested] == prices.attribute[feature]) return 0;
        grouped = grouped || (prices.group[feature] >= 0 && prices.group[tested] == prices.group[feature]);
    }
    return grouped ? prices.discounted[feature] : prices.full[feature];
}

int fold(const Tree& from, int at, const Rows& rows, bool collapse, Tree& to) {
    const TreeNode& node = from[static_cast<std::size_t>(at)];
    const int index = static_cast<int>(to.size());
    to.push_back(node);
    if (node.feature < 0) return index;
    const int left = fold(from, node.left, rows, collapse, to);
    const int right = fold(from, node.right, rows, collapse, to);
    TreeNode& out = to[static_cast<std::size_t>(index)];
    const TreeNode& a = to[static_cast<std::size_t>(left)];
    const TreeNode& b = to[static_cast<std::size_t>(right)];
    if (collapse && a.feature < 0 && b.feature < 0 && a.label == b.label) {
        out = a;
        to.resize(static_cast<std::size_t>(index) + 1);
        return index;
    }
    out.feature = rows.features[static_cast<std::size_t>(node.feature)];
    out.left = left;
    out.right = right;
    return index;
}

// Whether a tree over kept features has at most so many levels and nodes, and rows enough in every leaf.
bool fits(const Tree& tree, const Rows& rows, const Options& options) {
    std::vector<int> level(tree.size());
    int nodes = 0, depth = 0;
    for (std::size_t at = 0; at < tree.size(); ++at) {  // parents come first
        depth = std::max(depth, level[at]);
        if (tree[at].feature < 0) continue;
        ++nodes;
        for (const std::int32_t child : {tree[at].left, tree[at].right})
            level[static_cast<std::size_t>(child)] = level[at] + 1;
    }
    if (depth > options.max_depth || nodes > options.max_nodes) return false;
    if (options.min_samples_leaf <= 1) return true;
    std::vector<double> size(tree.size());
    for (std::size_t r = 0; r < rows.n_merged; ++r) size[rows.leaf_of(r, tree)] += rows.counts[r];
    for (std::size_t at = 0; at < tree.size(); ++at)
        if (tree[at].feature < 0 && size[at] < options.min_samples_leaf) return false;
    return true;
}

}  // namespace

std::optional<Tree> kept_tree(const Tree& tree, const Rows& rows, const Options& options) {
    Tree out = tree;
    for (TreeNode& node : out) {
        if (node.feature < 0) {
            if (node.label < 0 || node.label >= rows.n_labels) return std::nullopt;
            continue;
        }
        const auto at = std::lower_bound(rows.features.begin(), rows.features.end(), node.feature);
        if (at == rows.features.end() || *at != node.feature) return std::nullopt;
        node.feature = static_cast<std::int32_t>(at - rows.features.begin());
    }
    if (!fits(out, rows, options)) return std::nullopt;
    return out;
}

Tree finished_tree(const Tree& tree, const Rows& rows) {
    const bool collapse = std::all_of(rows.branch.begin(), rows.branch.end(),
                                      [](double b) { return b == 0; });
    Tree out;
    fold(tree, 0, rows, collapse, out);
    return out;
}

std::vector<double> tree_values(const VectorProblem& problem, const Tree& tree) {
    const std::size_t m = static_cast<std::size_t>(problem.n_values);
    std::vector<double> sum(m);
    for (const TreeNode& node : tree)
        if (node.feature >= 0)
            for (std::size_t j = 0; j < m; ++j) sum[j] += problem.branch_cost[j];
    std::vector<int> path;
    for (std::size_t r = 0; r < problem.n_rows; ++r) {
        std::size_t at = 0;
        const std::uint8_t* row = problem.features + r * problem.n_features;
        double paid = 0;
        path.clear();
        while (tree[at].feature >= 0) {
            if (problem.prices != nullptr) paid += price_of(*problem.prices, tree[at].feature, path);
            path.push_back(tree[at].feature);
            at = static_cast<std::size_t>(row[tree[at].feature] ? tree[at].right : tree[at].left);
        }
        if (paid != 0)
            for (std::size_t j = 0; j < m; ++j) sum[j] += problem.price_weights[j] * paid;
        const double* cost = problem.costs + (r * static_cast<std::size_t>(problem.n_labels) +
                                              static_cast<std::size_t>(tree[at].label)) *
                                                 m;
        for (std::size_t j = 0; j < m; ++j) sum[j] += cost[j];
    }
    return sum;
}

}  // namespace streed
