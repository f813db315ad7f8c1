// Exact subtrees of two levels are nearly free with the kernels of the search, and they make up for most of
// what few cuts have missed: on 19 sets of numbers at depth 3 the trees over few cuts are the best of all
// thresholds on 3, and after the descent on 13 (trial). A test is swept by adding up, row by row in the order
// of a column, what each row costs in either fixed subtree; all thresholds of all columns take one pass.
#include "thresholds/anytime/descent.hpp"

#include <algorithm>

namespace streed::thresholds {
namespace {

constexpr int kMostTurns = 20;

// Of more rows than this, subtrees of two levels are searched over so many parts of the rows in each column:
// a quarter of 100,000 rows with noisy labels took more than a hundred walks over all thresholds.
constexpr int kManyRows = 20000, kParts = 16;

int count_nodes(const Plan* plan) {
    if (plan == nullptr) return 0;
    if (plan->open) return 1 + plan->nodes[0] + plan->nodes[1];
    return 1 + count_nodes(plan->side[0].get()) + count_nodes(plan->side[1].get());
}

// A subtree whose tests and predictions stay as they are.
struct Fixed {
    int column = -1;  // -1: a leaf
    std::int32_t high = 0;
    std::unique_ptr<Fixed> side[2];
    Prediction prediction;
};

class Descent {
public:
    Descent(Search& search, Worker& worker) : search_(search), worker_(worker), root_(search.table.root) {}

    // The best trees with two levels below the upper tests of a tree.
    Grown tails(Node& node, const Plan* plan, int depth, int nodes, int level) {
        const Grown leaf{search_.cost(node.leaf_cost()), nullptr};
        if (depth == 0 || nodes == 0 || leaf.value <= search_.branch_cost) return leaf;
        if (depth <= 2 || plan == nullptr) {
            const int levels = std::min(depth, 2);
            return solve(node, levels, std::min(nodes, full_tree(levels)), level);
        }
        const bool binds = nodes < full_tree(depth);
        Node* sides[2];
        if (!divide(node, *plan, level, sides)) return leaf;
        auto own = std::make_shared<Plan>(*plan);
        own->open = false;
        Cost value = search_.branch_cost;
        for (int side = 0; side < 2; ++side) {
            const Plan* below = plan->side[side].get();
            const int used = plan->open ? plan->nodes[side] : count_nodes(below);
            const int most = binds ? used : full_tree(depth - 1);
            const Grown best = tails(*sides[side], below, depth - 1, most, level + 1);
            own->side[side] = best.plan;
            value += best.value;
        }
        if (value >= leaf.value) return leaf;
        return {value, own};
    }

    // Each upper test anew, those of the larger subtrees first; true if one has changed.
    bool sweep(Node& node, std::shared_ptr<const Plan>& plan, int depth, int level) {
        if (plan == nullptr || depth <= 2) return false;
        bool changed = sweep_test(node, plan, level);
        for (int side = 0; side < 2; ++side) {
            Node* sides[2];
            if (!divide(node, *plan, level, sides)) return changed;
            std::shared_ptr<const Plan> below = plan->side[side];
            if (!sweep(*sides[side], below, depth - 1, level + 1)) continue;
            auto own = std::make_shared<Plan>(*plan);
            own->side[side] = below;
            plan = own;
            changed = true;
        }
        return changed;
    }

    std::shared_ptr<const Plan> close(Node& node, const std::shared_ptr<const Plan>& plan, int level) {
        Node* sides[2];
        if (plan == nullptr || !divide(node, *plan, level, sides)) return nullptr;
        auto own = std::make_shared<Plan>(*plan);
        own->open = false;
        for (int side = 0; side < 2; ++side) {
            const auto below = plan->open ? stump(*sides[side], plan->nodes[side]) : plan->side[side];
            own->side[side] = close(*sides[side], below, level + 1);
        }
        return own;
    }

private:
    Grown solve(Node& node, int levels, int nodes, int level) {
        const bool cached = search_.use_cache, many = node.size() > kManyRows;
        if (many) {
            search_.use_cache = false;
            search_.grid = {kParts, kParts, kParts, true};
        }
        const Outcome best = worker_.solve(node, levels, nodes, kInfinite, level);
        search_.grid = {};
        search_.use_cache = cached;
        return {best.value, best.plan};
    }

    bool divide(Node& node, const Plan& plan, int level, Node* sides[2]) {
        worker_.prepare(node);
        const int position = worker_.position_of(node, plan);
        if (position < search_.least_rows || node.size() - position < search_.least_rows) return false;
        sides[0] = &worker_.child(level, 0);
        sides[1] = &worker_.child(level, 1);
        worker_.divide(node, plan.column, node.rank_at(plan.column, position), *sides[0], *sides[1]);
        return true;
    }

    std::unique_ptr<Fixed> fix(Node& node, const Plan* plan, int level) {
        auto out = std::make_unique<Fixed>();
        Node* sides[2];
        if (plan == nullptr || !divide(node, *plan, level, sides)) {
            out->prediction = node.model().predict(node);
            return out;
        }
        out->column = plan->column;
        out->high = plan->high;
        for (int side = 0; side < 2; ++side) {
            std::shared_ptr<const Plan> below = plan->side[side];
            if (plan->open) below = stump(*sides[side], plan->nodes[side]);
            out->side[side] = fix(*sides[side], below.get(), level + 1);
        }
        return out;
    }

    std::shared_ptr<const Plan> stump(Node& node, int nodes) {
        if (nodes == 0 || node.size() < 2 * search_.least_rows) return nullptr;
        return worker_.stump_plan(node);
    }

    // What each row of a node costs in a fixed tree.
    std::vector<double> costs_in(const Fixed* tree, const Node& node) {
        const std::size_t n = static_cast<std::size_t>(node.size());
        predictions_.resize(n);
        for (std::size_t row = 0; row < n; ++row) {
            const std::uint32_t at = node.roots()[row];
            const Fixed* leaf = tree;
            while (leaf->column >= 0)
                leaf = leaf->side[root_.rank_of(leaf->column, at) >= leaf->high ? 1 : 0].get();
            predictions_[row] = &leaf->prediction;
        }
        std::vector<double> costs(n);
        node.model().row_costs(node, predictions_.data(), costs.data());
        return costs;
    }

    bool sweep_test(Node& node, std::shared_ptr<const Plan>& plan, int level) {
        worker_.prepare(node);
        const std::unique_ptr<Fixed> tree = fix(node, plan.get(), level);
        if (tree->column < 0) return false;
        const std::size_t n = static_cast<std::size_t>(node.size());
        std::vector<double> gain = costs_in(tree->side[0].get(), node);  // of a row that goes to this side
        const std::vector<double> above = costs_in(tree->side[1].get(), node);
        double lower = 0;
        for (std::size_t row = 0; row < n; ++row) {
            gain[row] -= above[row];
            lower += above[row];
        }
        double now = lower;
        const int position = worker_.position_of(node, *plan);
        for (int k = 0; k < position; ++k) now += gain[node.row_at(plan->column, k)];
        double best = now - 1e-9 * std::abs(now);
        int column = -1, at = 0;
        for (int j = 0; j < node.n_columns(); ++j) {
            if (node.constant(j)) continue;
            worker_.count_pass(node);
            double cost = lower;
            for (int k = 1; k <= node.size() - search_.least_rows; ++k) {
                cost += gain[node.row_at(j, k - 1)];
                if (cost >= best || k < search_.least_rows || !node.ends_at(j, k)) continue;
                best = cost;
                column = j;
                at = k;
            }
        }
        if (column < 0) return false;
        const std::shared_ptr<Plan> own = worker_.make_plan(node, column, at);
        own->open = plan->open;
        for (int side = 0; side < 2; ++side) {
            own->side[side] = plan->side[side];
            own->nodes[side] = plan->nodes[side];
        }
        plan = own;
        return true;
    }

    Search& search_;
    Worker& worker_;
    const Node& root_;
    std::vector<const Prediction*> predictions_;
};

}  // namespace

std::shared_ptr<const Plan> closed(Search& search, Worker& worker, Node& node,
                                   const std::shared_ptr<const Plan>& plan, int level) {
    return Descent(search, worker).close(node, plan, level);
}

Grown descend(Search& search, Worker& worker, Node& node, std::shared_ptr<const Plan> plan, int depth,
              int nodes, int level) {
    Descent descent(search, worker);
    Grown best = descent.tails(node, plan.get(), depth, nodes, level);
    for (int turn = 0; turn < kMostTurns && best.value > search.branch_cost; ++turn) {
        std::shared_ptr<const Plan> swept = best.plan;
        if (!descent.sweep(node, swept, depth, level)) break;
        Grown next = descent.tails(node, swept.get(), depth, nodes, level);
        if (next.value >= best.value) break;
        best = std::move(next);
    }
    return best;
}

}  // namespace streed::thresholds
