// Bounds from the price of a branching node, for leaf functions whose cost no row lowers.
//
// A tree with k branching nodes costs k times the price at least. So a node that costs no more than the price
// as a leaf is best as one, and a tree that is to cost less than a limit has fewer nodes than limit / price.
// The costs of all children as leaves are known from the single sums of the node, before any of them is
// solved. On carbon at depth 4 with a price of 0.001 of the root, 583 pair problems are left of 855 without
// the bound of groups.cpp.
#include "search/bounds/price.hpp"

#include <algorithm>
#include <cmath>

#include "search/caches/known_children.hpp"

namespace streed {

namespace {

bool has_price(const Search& search) {
    return search.options.switches.price_bounds && search.has_function() && search.reduced.bounded &&
           search.branch_cost() > 0 && !search.model.maximum;
}

}  // namespace

// The most branching nodes of trees that cost no more than `limit`, where there is a budget of nodes already
// or these are fewer than the levels, so that the depth shrinks, too. Elsewhere a budget would be shared out
// to the children in all ways, which costs more than it saves: with budgets of up to twice the levels,
// concrete of depth 5 at a price of 3 % took 1.4 times as long, at 1 % carbon twice. Seconds before and
// after: carbon of depth 6 at 3 % .24 and .011, airfoil of depth 6 at 5 % .60 and .17, concrete of depth 5 at
// 5 % 6.9 and 5.6.
int Search::affordable_nodes(int depth, int nodes, double limit) const {
    if (!has_price(*this)) return nodes;
    const double most = std::floor(limit / branch_cost());
    return most < nodes && (most < depth || nodes < full_tree(depth)) ? static_cast<int>(most) : nodes;
}

// Every child costs its leaf or a price; which of them is known at once.
void PriceBounds::bound(Level& at) const {
    if (!has_price(search_)) return;
    const double price = search_.branch_cost();
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    for (const std::int32_t f : at.node.active()) {
        for (const bool side : {false, true}) {
            const std::size_t child = (side ? stride : 0) + static_cast<std::size_t>(f);
            const double leaf = at.side_cost[child];
            for (int k = 0; k < at.n_budgets; ++k) {
                const int nodes = at.least_nodes + k;
                double& own_bound = at.bound(nodes, side, f);
                own_bound = std::max(own_bound, nodes == 0 ? leaf : std::min(leaf, price));
            }
            if (leaf <= price && keeps_children(search_, at)) at.known[child] = 1;
        }
    }
}

// A node with three levels or more of which so few nodes can pay that its pair table knows the best tree.
std::optional<Outcome> PriceBounds::solve(Level& at, int nodes, double upper) {
    if (!has_price(search_) || !search_.options.switches.depth_two) return std::nullopt;
    const double price = search_.branch_cost();
    const double most = std::ceil(std::min(at.leaf, upper) / price) - 1;  // nodes that can pay
    if (most > 2) return std::nullopt;
    const int few = std::min(nodes, static_cast<int>(most));
    if (few < 1) {
        return Outcome{std::min(at.leaf, price), at.leaf <= price};
    }
    thread_.checkpoint();
    double value;
    if (few == 1) {
        value = pairs_.best_stump(at, nullptr);
    } else {
        tables_.load(at);
        value = pairs_.solve(at, few);
    }
    if (value < upper || few == nodes) return Outcome{value, true};
    return Outcome{std::min(value, (few + 1) * price), false};
}

}  // namespace streed
