// The label bound: d levels have at most 2^d leaves, so that a subtree can be right about 2^d labels and no
// more.
//
// With the pair table of a node this bounds every child at once: it is a leaf, or it splits
// into two cells of the table, each of which gains at most its largest sums and pays for the tests that it
// needs (kernels/pairs/labels.hpp). Where there are many labels few children are left to be solved. With as
// many leaves as labels only the prices of tests are left of it.
#include "search/bounds/labels.hpp"

#include <algorithm>

namespace streed {

// Prices alone give a useful bound only where children have three levels or more: those with two are solved
// as fast.
bool LabelBounds::useful(int labels) const {
    const Switches& switches = search_.options.switches;
    return switches.label_bounds && switches.depth_two && search_.traits.label_rows &&
           (labels < search_.model.n_values || (search_.prices.any() && labels > 2));
}

// Raises the bounds of all children; the pair table of the node is loaded, and its children have depth - 1
// levels.
void LabelBounds::bound(Level& at) {
    const int labels = 1 << std::min(at.depth - 2, 4);  // of a cell
    if (labels > 8 || !useful(labels)) return;
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    PairProblem problem{at.table.data(), nullptr, node.singles(), node.totals()};
    const PairPrices lanes = at.prices.pairs();
    if (search_.prices.any()) problem.prices = &lanes;
    thread_.account(gains_.reserve(2 * stride * sizeof(double)));
    double* right = gains_.as<double>();
    double* left = right + stride;
    search_.kernels.label_gains(node.frame(), search_.model, problem, labels, right, left,
                                tables_.scratch(node));
    filter_.resize(static_cast<std::size_t>(node.words()));
    for (const std::int32_t f : node.active()) {
        node.side_filter(f, true, filter_.data());
        const double potential = node.filter_potential(filter_.data());
        const double least[2] = {search_.model.ticks * (node.potential() - potential) - left[f],
                                 search_.model.ticks * potential - right[f]};
        for (int n = at.least_nodes; n < at.least_nodes + at.n_budgets; ++n)
            for (int side = 0; side < 2; ++side)
                at.bound(n, side == 1, f) = std::max(at.bound(n, side == 1, f), least[side]);
    }
}

}  // namespace streed
