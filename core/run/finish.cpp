// From the tree of the search to the one that users get (the search knows reduced rows only).
//
// Redundant splits are removed bottom up, on the rows as they were given. Trying every
// subtree in the place of every node is quadratic, but trees are small. Rows that no test of the tree tells
// apart take every way together, so they are added up first: of 8,000 rows of query1 at depth 4 97 are
// left.
#include "run/finish.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "data/bits.hpp"
#include "engine.hpp"
#include "leaves/leaf_models.hpp"

namespace streed {
namespace {

struct Branch {
    std::int32_t feature = -1;
    std::unique_ptr<Branch> left, right;
};

// Rows that no test of a tree tells apart, as one: what they add to a leaf, and how many they are.
struct TestedRows {
    std::vector<std::uint32_t> first;  // [group], a row of it
    std::vector<double> sums, counts;  // [group][sum], [group]
    std::size_t n_sums = 0;

    TestedRows(const Problem& problem, const LeafModelFunctions& model, const Tree& tree)
        : n_sums(static_cast<std::size_t>(model.n_sums(problem))) {
        const std::vector<std::int32_t> tested = features_of(tree);
        const std::size_t n = problem.n_rows, width = (tested.size() + 63) / 64;
        std::vector<std::uint8_t> table(n * tested.size());
        std::uint8_t* out = table.data();
        for (std::size_t r = 0; r < n; ++r)
            for (const std::int32_t f : tested) *out++ = problem.features[r * problem.n_features + f];
        std::vector<std::int32_t> all(tested.size());
        std::iota(all.begin(), all.end(), 0);
        std::vector<std::uint32_t> group;
        group_rows(pack_rows(table.data(), n, tested.size(), width), n, width, all, true, group, first);
        sums.resize(first.size() * n_sums);
        counts.resize(first.size());
        for (std::uint32_t r = 0; r < n; ++r) {
            model.add(problem, &r, 1, &sums[group[r] * n_sums]);
            ++counts[group[r]];
        }
    }

private:
    static std::vector<std::int32_t> features_of(const Tree& tree) {
        std::vector<std::int32_t> tested;
        for (const TreeNode& node : tree)
            if (node.feature >= 0) tested.push_back(node.feature);
        std::sort(tested.begin(), tested.end());
        tested.erase(std::unique(tested.begin(), tested.end()), tested.end());
        return tested;
    }
};

// Numbers of groups of rows, in a buffer of the finisher.
struct Rows {
    const std::uint32_t* numbers = nullptr;
    std::size_t n = 0;
    std::size_t size() const { return n; }
    bool empty() const { return n == 0; }
    const std::uint32_t* begin() const { return numbers; }
    const std::uint32_t* end() const { return numbers + n; }
};

// Cost of a set of rows as a leaf, and the label that has it.
class LeafCosts {
public:
    LeafCosts(const Problem& problem, const Tree& tree)
        : problem_(problem),
          model_(leaf_model_of(problem)),
          groups_(problem, model_, tree),
          additive_(model_.row_range != nullptr) {
        for (std::size_t r = 0; additive_ && r < problem.n_rows; ++r) {
            const RowRange range = model_.row_range(problem, r);
            magnitude_ += std::max(std::abs(range.least), std::abs(range.most));
        }
    }

    double of(const Rows& rows, std::int32_t* label = nullptr) {
        const std::size_t n = groups_.n_sums;
        sums_.assign(n, 0);
        for (const std::uint32_t group : rows)
            for (std::size_t k = 0; k < n; ++k) sums_[k] += groups_.sums[group * n + k];
        costs_.resize(static_cast<std::size_t>(problem_.n_labels));
        if (additive_)
            model_.costs(problem_, sums_.data(), 1, costs_.data());
        else
            costs_ = ask(sums_);
        const auto best = std::min_element(costs_.begin(), costs_.end());
        if (label != nullptr) *label = static_cast<std::int32_t>(best - costs_.begin());
        return *best;
    }

    // A leaf without rows costs nothing, and goes with its split; a function is never asked about it.
    double without_rows() const { return additive_ ? 0.0 : std::numeric_limits<double>::infinity(); }
    bool nonnegative() const { return model_.nonnegative; }
    double magnitude() const { return magnitude_; }
    const TestedRows& groups() const { return groups_; }

private:
    // The function is asked once about each leaf.
    const std::vector<double>& ask(const std::vector<double>& sums) {
        const auto known = asked_.find(sums);
        if (known != asked_.end()) return known->second;
        std::vector<double> costs(costs_.size(), std::numeric_limits<double>::quiet_NaN());
        model_.costs(problem_, sums.data(), 1, costs.data());
        for (const double cost : costs) {
            if (!std::isfinite(cost))
                throw TaskFailure(
                    "a leaf costs " + std::to_string(cost) + ", but costs must be finite numbers", sums);
            magnitude_ = std::max(magnitude_, std::abs(cost));
        }
        return asked_[sums] = std::move(costs);
    }

    const Problem& problem_;
    const LeafModelFunctions& model_;
    const TestedRows groups_;
    const bool additive_;  // a leaf costs the sum of its rows
    std::map<std::vector<double>, std::vector<double>> asked_;
    std::vector<double> sums_, costs_;
    double magnitude_ = 0;
};

class Finisher {
public:
    Finisher(const Problem& problem, const Tree& tree, double branch_cost, double patience)
        : problem_(problem), leaves_(problem, tree), branch_cost_(branch_cost), patience_(patience) {}

    std::size_t n_groups() const { return leaves_.groups().first.size(); }

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
        const double as_leaf = leaves_.of(rows);
        if (at->feature < 0) return as_leaf;
        const double own = branching(at->feature, rows);
        const auto [left, right] = part(rows, at->feature);
        path_.push_back(at->feature);
        const double left_cost = simplify(at->left, left);
        double cost = join(left_cost, simplify(at->right, right), own);
        path_.pop_back();
        if (as_leaf <= allowed(cost) + tolerance()) {
            at = std::make_unique<Branch>();
            return as_leaf;
        }
        std::unique_ptr<Branch>* found = replacement(*at, rows, allowed(cost));
        if (found != nullptr) {
            std::unique_ptr<Branch> kept = std::move(*found);
            at = std::move(kept);
            cost = simplify(at, rows);
        }
        return cost;
    }

    std::int32_t fold(const Branch& at, const Rows& rows, FinishedTree& out) {
        const auto index = static_cast<std::int32_t>(out.tree.size());
        out.tree.push_back({at.feature, -1, -1, -1});
        if (at.feature < 0) {
            const double own = leaves_.of(rows, &out.tree.back().label);
            out.objective = problem_.maximum ? std::max(out.objective, own) : out.objective + own;
            out.magnitude = leaves_.magnitude();
            return index;
        }
        out.objective += branching(at.feature, rows);
        const auto [left, right] = part(rows, at.feature);
        path_.push_back(at.feature);
        const std::int32_t left_index = fold(*at.left, left, out);
        const std::int32_t right_index = fold(*at.right, right, out);
        path_.pop_back();
        out.tree[static_cast<std::size_t>(index)].left = left_index;
        out.tree[static_cast<std::size_t>(index)].right = right_index;
        return index;
    }

    // Where the largest leaf is all that counts, a subtree may cost as much as the whole tree does.
    void allow(const Branch& tree, const Rows& rows) {
        if (problem_.maximum) whole_ = cost(tree, rows);
    }

private:
    double tolerance() const { return leaves_.magnitude() * 1e-12; }
    double join(double left, double right, double branch) const {
        return problem_.maximum ? std::max(left, right) : branch + left + right;
    }
    double allowed(double cost) const { return std::max(cost, whole_); }

    double branching(std::int32_t feature, const Rows& rows) const {
        if (problem_.prices == nullptr) return branch_cost_;
        const Prices& prices = *problem_.prices;
        bool same_group = false;
        for (const std::int32_t tested : path_) {
            if (prices.attribute[tested] == prices.attribute[feature]) return branch_cost_;
            same_group = same_group ||
                         (prices.group[feature] >= 0 && prices.group[tested] == prices.group[feature]);
        }
        double n_rows = 0;
        for (const std::uint32_t group : rows) n_rows += leaves_.groups().counts[group];
        return branch_cost_ + n_rows * (same_group ? prices.discounted[feature] : prices.full[feature]);
    }

    // The rows of both children; good until rows are parted again after so many tests. Without a jump per
    // row, which would be guessed wrongly half of the time.
    std::pair<Rows, Rows> part(const Rows& rows, std::int32_t feature) {
        const std::vector<std::uint8_t>& has = column(feature);
        const std::size_t depth = path_.size();
        while (buffers_.size() <= depth) buffers_.emplace_back(new std::uint32_t[2 * n_groups()]);
        std::uint32_t *left = buffers_[depth].get(), *right = left + rows.size();
        std::size_t n_right = 0, k = 0;
        for (const std::uint32_t row : rows) {
            left[k++ - n_right] = right[n_right] = row;
            n_right += has[row];
        }
        return {{left, rows.size() - n_right}, {right, n_right}};
    }

    const std::vector<std::uint8_t>& column(std::int32_t feature) {
        std::vector<std::uint8_t>& values = columns_[feature];
        if (values.empty()) {
            values.resize(n_groups());
            const std::uint8_t* from = problem_.features + feature;
            for (std::size_t g = 0; g < values.size(); ++g)
                values[g] = from[leaves_.groups().first[g] * problem_.n_features];
        }
        return values;
    }

    // Cost of a subtree for some rows; anything above `limit` if it is above that and no leaf costs less than
    // nothing.
    double cost(const Branch& at, const Rows& rows, double limit = std::numeric_limits<double>::infinity()) {
        work_ -= static_cast<double>(rows.size());
        if (rows.empty()) return leaves_.without_rows();
        if (at.feature < 0) return leaves_.of(rows);
        const double own = branching(at.feature, rows);
        if (nothing_below_zero_ && own > limit) return own;
        const auto [left, right] = part(rows, at.feature);
        path_.push_back(at.feature);
        const double left_cost = cost(*at.left, left, limit - own);
        const bool enough = nothing_below_zero_ && left_cost + own > limit;
        const double both = enough ? left_cost + own
                                   : join(left_cost, cost(*at.right, right, limit - own - left_cost), own);
        path_.pop_back();
        return both;
    }

    // A proper subtree that does as well in the place of the whole. Trying all of them is quadratic in the
    // size of the tree, so that trees with many thousands of nodes are only tried in part.
    std::unique_ptr<Branch>* replacement(Branch& at, const Rows& rows, double limit) {
        for (std::unique_ptr<Branch>* child : {&at.left, &at.right}) {
            if ((*child)->feature < 0 || work_ < 0 ||
                std::chrono::duration<double>(Clock::now() - started_).count() > patience_)
                continue;
            if (cost(**child, rows, limit + tolerance()) <= limit + tolerance()) return child;
            if (auto* deeper = replacement(**child, rows, limit)) return deeper;
        }
        return nullptr;
    }

    const Problem& problem_;
    LeafCosts leaves_;
    std::map<std::int32_t, std::vector<std::uint8_t>> columns_;  // of the features that were asked for
    std::vector<std::int32_t> path_;                             // features tested on the way
    std::vector<std::unique_ptr<std::uint32_t[]>>
        buffers_;  // groups of two children, by the number of tests before
    double branch_cost_;
    double whole_ = -std::numeric_limits<double>::infinity();  // maximum: cost of the whole tree
    const bool nothing_below_zero_ = leaves_.nonnegative() && !problem_.maximum;
    double work_ = 1e9;  // groups sent down
    using Clock = std::chrono::steady_clock;
    const Clock::time_point started_ = Clock::now();
    double patience_;  // seconds
};

}  // namespace

FinishedTree finish_tree(const Problem& problem, const Tree& tree, double branch_cost, double patience) {
    Finisher finisher(problem, tree, branch_cost, patience);
    std::unique_ptr<Branch> root = finisher.unfold(tree, 0);
    std::vector<std::uint32_t> all(finisher.n_groups());
    std::iota(all.begin(), all.end(), 0u);
    const Rows rows{all.data(), all.size()};
    finisher.allow(*root, rows);
    finisher.simplify(root, rows);
    FinishedTree out;
    if (problem.maximum) out.objective = -std::numeric_limits<double>::infinity();
    finisher.fold(*root, rows, out);
    return out;
}

}  // namespace streed
