// The recount of a tree: rows go down, costs and prices are added up from the leaves to the root.
#include "model/recount.hpp"

#include <algorithm>

namespace streed {

namespace {

void add_rows(const std::int32_t* label, const std::int64_t* leaf, std::size_t n_rows, const RowCosts& costs,
              const RowClasses& classes, NodeCounts& out) {
    for (std::size_t r = 0; r < n_rows; ++r) {
        const std::size_t node = static_cast<std::size_t>(leaf[r]);
        ++out.samples[node];
        if (costs.labels != nullptr)
            out.costs[node] += costs.labels[r] != label[node] ? costs.weights[r] : 0.0;
        if (costs.table != nullptr)
            out.costs[node] += costs.table[r * costs.n_labels + static_cast<std::size_t>(label[node])];
        if (classes.codes != nullptr) {
            const std::size_t cell = node * classes.n + static_cast<std::size_t>(classes.codes[r]);
            out.classes[cell] += classes.weights != nullptr ? classes.weights[r] : 1.0;
        }
    }
}

// What a row pays at a node, given the features that the nodes above it test.
double price_at(const Prices& prices, const std::int32_t* feature, const std::vector<std::int32_t>& parent,
                std::size_t node) {
    const std::int32_t tested = feature[node];
    bool same_group = false;
    for (std::int32_t above = parent[node]; above >= 0; above = parent[static_cast<std::size_t>(above)]) {
        const std::int32_t before = feature[above];
        if (prices.attribute[before] == prices.attribute[tested]) return 0;
        same_group = same_group ||
                     (prices.group[tested] >= 0 && prices.group[before] == prices.group[tested]);
    }
    return same_group ? prices.discounted[tested] : prices.full[tested];
}

}  // namespace

double NodeCounts::total() const {
    long double all = costs[0];
    for (const double test : paid) all += test;
    return static_cast<double>(all);
}

std::vector<double> NodeCounts::per_row(const std::vector<double>& of, double factor, bool sums) const {
    std::vector<double> out(of.size());
    for (std::size_t node = 0; node < of.size(); ++node) {
        const double rows = sums && samples[node] > 0 ? static_cast<double>(samples[node]) : 1.0;
        out[node] = factor * of[node] / rows + 0.0;  // no minus zero
    }
    return out;
}

NodeCounts recount(const std::vector<Fork>& forks, const std::int32_t* feature, const std::int32_t* label,
                   const std::int64_t* leaf, std::size_t n_rows, const RowCosts& costs,
                   const RowClasses& classes, const Prices* prices) {
    const std::size_t nodes = forks.size();
    NodeCounts out;
    out.samples.resize(nodes);
    out.costs.resize(nodes);
    out.classes.resize(classes.codes != nullptr ? nodes * classes.n : 0);
    add_rows(label, leaf, n_rows, costs, classes, out);
    std::vector<std::int32_t> parent(nodes, -1);
    for (std::size_t node = nodes; node-- > 0;) {  // children come after their parents
        if (feature[node] < 0) continue;
        const auto left = static_cast<std::size_t>(forks[node].child[0]),
                   right = static_cast<std::size_t>(forks[node].child[1]);
        out.samples[node] = out.samples[left] + out.samples[right];
        out.costs[node] = costs.maximum ? std::max(out.costs[left], out.costs[right])
                                        : out.costs[left] + out.costs[right];
        for (std::size_t c = 0; c < classes.n; ++c)
            out.classes[node * classes.n + c] = out.classes[left * classes.n + c] +
                                                out.classes[right * classes.n + c];
        parent[left] = parent[right] = static_cast<std::int32_t>(node);
    }
    if (prices == nullptr) return out;
    out.paid.resize(nodes);
    for (std::size_t node = 0; node < nodes; ++node)
        if (feature[node] >= 0)
            out.paid[node] = price_at(*prices, feature, parent, node) *
                             static_cast<double>(out.samples[node]);
    return out;
}

}  // namespace streed
