// The first tree of a search over thresholds, grown as CART does, with optimal last levels.
#include <algorithm>

#include "thresholds/search/search.hpp"

namespace streed::thresholds {
namespace {

// Sums of squares of the labels' weights on both sides of a threshold, kept up to date row by row.
struct Impurity {
    explicit Impurity(std::size_t n_labels) : below(n_labels), above(n_labels) {}
    void start(const std::vector<Cost>& totals) {
        square_below = square_above = weight_below = weight_above = 0;
        for (std::size_t label = 0; label < totals.size(); ++label) {
            const double total = static_cast<double>(totals[label]);
            below[label] = 0;
            above[label] = total;
            square_above += total * total;
            weight_above += total;
        }
    }
    void move(std::size_t label, double weight) {
        square_below += weight * (2 * below[label] + weight);
        square_above -= weight * (2 * above[label] - weight);
        below[label] += weight;
        above[label] -= weight;
        weight_below += weight;
        weight_above -= weight;
    }
    // Larger is purer: the weight less the Gini impurity of both sides.
    double purity() const {
        return square_below / std::max(weight_below, 1.0) + square_above / std::max(weight_above, 1.0);
    }

    std::vector<double> below, above;
    double square_below = 0, square_above = 0, weight_below = 0, weight_above = 0;
};

// Cells of all levels that take about 0.2 s: a smaller tree is grown to the end whatever the time limit, so
// that there is always one.
constexpr double kQuick = 0x1p24;

}  // namespace

// The split that leaves both sides purest (CART), or with costs the one whose leaves cost least.
Stump Worker::purest_split(Node& node) {
    if (node.has_costs()) return best_stump(node);
    Stump best;
    double most = -1;
    Impurity impurity(node.totals().size());
    for (int j = 0; j < node.n_columns(); ++j) {
        if (node.constant(j)) continue;
        impurity.start(node.totals());
        for (int position = 1; position <= node.size() - search_.least_rows; ++position) {
            const std::size_t row = node.row_at(j, position - 1);
            impurity.move(node.labels()[row], node.unit() ? 1.0 : node.weights()[row]);
            if (position < search_.least_rows || !node.ends_at(j, position)) continue;
            const double purity = impurity.purity();
            if (purity <= most) continue;
            most = purity;
            best.column = j;
            best.position = position;
        }
    }
    return best;
}

// A tree for the start, grown as CART does and pruned bottom-up: the search has a decent tree after one pass
// over the columns per level. A node budget is divided evenly. The last `best_levels` of them are the best
// ones of their rows; these are searched only for trees that cost less than `limit`, and one that costs more
// may have any value from there on.
Outcome Worker::greedy(Node& node, int depth, int nodes, int best_levels, Cost limit, int level,
                       const Plan* known) {
    const Cost leaf = search_.cost(node.leaf_cost());
    Outcome out{leaf, 0, false, nullptr};
    if (std::min(depth, nodes) == 0 || leaf <= search_.branch_cost || node.size() < 2 * search_.least_rows)
        return out;
    if (depth <= best_levels) {
        const Outcome best = solve(node, depth, nodes, limit, level);
        return best.exact ? best : Outcome{kInfinite, 0, false, nullptr};
    }
    if (static_cast<double>(node.size()) * node.n_columns() * depth > kQuick) {
        if (search_.elapsed() > search_.options.time_limit) return out;  // what was grown so far stays
        search_.checkpoint(calling_);
    }
    prepare(node);
    Stump split;
    if (known != nullptr) {
        split.column = known->column;
        split.position = position_of(node, *known);
    } else {
        split = purest_split(node);
    }
    if (split.column < 0) return out;
    const std::shared_ptr<Plan> plan = make_plan(node, split.column, split.position);
    Node* sides[2] = {&child(level, 0), &child(level, 1)};
    divide(node, split.column, node.rank_at(split.column, split.position), *sides[0], *sides[1], true);
    Cost cost = search_.branch_cost;
    for (int side = 0; side < 2 && cost < limit; ++side) {
        const Outcome below = greedy(*sides[side], depth - 1, (nodes - 1 + (side == 0 ? 1 : 0)) / 2,
                                     best_levels, limit - cost, level + 1,
                                     known != nullptr ? known->side[side].get() : nullptr);
        plan->side[side] = below.plan;
        cost += below.value;
    }
    if (cost < std::min(leaf, limit)) out = {cost, 0, false, plan};
    return out;
}

}  // namespace streed::thresholds
