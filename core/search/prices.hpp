// Prices of tests, which depend on what was tested on the path before (paper, "Cost-sensitive classification").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../data/node.hpp"

namespace streed {

// What the features of a node cost in ticks per row, by lane.
struct NodePrices {
    std::vector<double> now;                    // given the path to the node
    std::vector<double> second;                 // [second feature][lane of the first one], for the last two levels
    std::vector<std::int32_t> attribute, group;  // of the lanes
    std::size_t bytes() const { return 8 * (now.capacity() + second.capacity()) + 4 * (attribute.capacity() + group.capacity()); }
};

class PriceBook {
public:
    PriceBook(const Prices* prices, const ReducedProblem& reduced, double ticks_per_unit);
    bool any() const { return !full_.empty(); }

    // Prices at a node: `path` holds the root features tested before.
    void at_node(const Node& node, const std::vector<int>& path, NodePrices& out) const;
    // Fills `second` from the rest.
    void pairs(const Node& node, NodePrices& out) const;

    // Of a feature after a path; a tree's prices are summed up with it.
    double price(int feature, const std::vector<int>& path) const;
    // What a subproblem's costs depend on beside its rows: the attributes on the path that have a price.
    void append_key(const std::vector<int>& path, std::string& key) const;

private:
    std::vector<std::int32_t> attribute_, group_;  // by root feature
    std::vector<double> full_, discounted_;        // in ticks
};

}  // namespace streed
