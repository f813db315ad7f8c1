#include "finish.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace streed {
namespace {

struct Branch {
    std::int32_t feature = -1;
    std::unique_ptr<Branch> left, right;
};
using Rows = std::vector<std::uint32_t>;

class Finisher {
public:
    Finisher(const Problem& problem, double branch_cost) : problem_(problem), branch_cost_(branch_cost) {
        double total = 0;
        for (std::size_t r = 0; r < problem.n_rows; ++r) total += problem.weights[r];
        tolerance_ = total * 1e-12;
    }

    std::unique_ptr<Branch> unfold(const Tree& tree, int at) const {
        const TreeNode& node = tree[static_cast<std::size_t>(at)];
        auto out = std::make_unique<Branch>();
        out->feature = node.feature;
        if (node.feature >= 0) {
            out->left = unfold(tree, node.left);
            out->right = unfold(tree, node.right);
        }
        return out;
    }

    // Simplifies the subtree for its rows, bottom up; returns its cost.
    double simplify(std::unique_ptr<Branch>& at, const Rows& rows) {
        const double as_leaf = leaf_cost(rows);
        if (at->feature < 0) return as_leaf;
        Rows left, right;
        part(rows, at->feature, left, right);
        double cost = branch_cost_ + simplify(at->left, left) + simplify(at->right, right);
        if (as_leaf <= cost + tolerance_) {
            at = std::make_unique<Branch>();
            return as_leaf;
        }
        std::unique_ptr<Branch>* found = replacement(*at, rows, cost);
        if (found != nullptr) {
            std::unique_ptr<Branch> kept = std::move(*found);
            at = std::move(kept);
            cost = simplify(at, rows);
        }
        return cost;
    }

    std::int32_t fold(const Branch& at, const Rows& rows, Tree& tree, double& objective) const {
        const auto index = static_cast<std::int32_t>(tree.size());
        tree.push_back({at.feature, -1, -1, -1});
        if (at.feature < 0) {
            const std::vector<double> sums = label_weights(rows);
            const auto best = std::max_element(sums.begin(), sums.end());
            tree.back().label = static_cast<std::int32_t>(best - sums.begin());
            objective += std::accumulate(sums.begin(), sums.end(), 0.0) - *best;
            return index;
        }
        objective += branch_cost_;
        Rows left, right;
        part(rows, at.feature, left, right);
        const std::int32_t left_index = fold(*at.left, left, tree, objective);
        const std::int32_t right_index = fold(*at.right, right, tree, objective);
        tree[static_cast<std::size_t>(index)].left = left_index;
        tree[static_cast<std::size_t>(index)].right = right_index;
        return index;
    }

private:
    std::vector<double> label_weights(const Rows& rows) const {
        std::vector<double> sums(static_cast<std::size_t>(problem_.n_labels));
        for (const std::uint32_t r : rows) sums[static_cast<std::size_t>(problem_.labels[r])] += problem_.weights[r];
        return sums;
    }

    double leaf_cost(const Rows& rows) const {
        const std::vector<double> sums = label_weights(rows);
        return std::accumulate(sums.begin(), sums.end(), 0.0) - *std::max_element(sums.begin(), sums.end());
    }

    void part(const Rows& rows, std::int32_t feature, Rows& left, Rows& right) const {
        for (const std::uint32_t r : rows)
            (problem_.features[r * problem_.n_features + static_cast<std::size_t>(feature)] ? right : left).push_back(r);
    }

    double cost(const Branch& at, const Rows& rows) {
        work_ -= static_cast<double>(rows.size());
        if (at.feature < 0) return leaf_cost(rows);
        Rows left, right;
        part(rows, at.feature, left, right);
        return branch_cost_ + cost(*at.left, left) + cost(*at.right, right);
    }

    // A proper subtree that does as well in the place of the whole. Trying all of them is quadratic in the size of the
    // tree, so that trees with many thousands of nodes are only tried in part.
    std::unique_ptr<Branch>* replacement(Branch& at, const Rows& rows, double limit) {
        for (std::unique_ptr<Branch>* child : {&at.left, &at.right}) {
            if ((*child)->feature < 0 || work_ < 0) continue;
            if (cost(**child, rows) <= limit + tolerance_) return child;
            if (auto* deeper = replacement(**child, rows, limit)) return deeper;
        }
        return nullptr;
    }

    const Problem& problem_;
    double branch_cost_;
    double tolerance_;
    double work_ = 1e9;  // rows sent down
};

}  // namespace

FinishedTree finish_tree(const Problem& problem, const Tree& tree, double branch_cost) {
    Finisher finisher(problem, branch_cost);
    std::unique_ptr<Branch> root = finisher.unfold(tree, 0);
    Rows rows(problem.n_rows);
    std::iota(rows.begin(), rows.end(), 0u);
    finisher.simplify(root, rows);
    FinishedTree out{{}, 0};
    finisher.fold(*root, rows, out.tree, out.objective);
    return out;
}

}  // namespace streed
