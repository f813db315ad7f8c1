// Prices of tests, which depend on what was tested on the path before (paper, "Cost-sensitive
// classification").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/node.hpp"
#include "kernels/kernels.hpp"

namespace streed {

// Numbers per attribute and per group.
struct PriceWork {
    std::vector<double> discount, price, dearest;
    std::vector<int> features;
};

// What the features of a node cost in ticks per row, by lane. Numbers are doubles for the sake of the
// kernels.
struct NodePrices {
    std::vector<double> now;  // given the path to the node
    std::vector<double>
        discounted;                 // after another test of the group; nothing where the attribute was tested
    std::vector<double> attribute;  // -1 where it was tested: no later test changes the price
    std::vector<double> group;      // a number of its own where there is none
    bool grouped = false;           // whether any feature has a group
    // For bounds: what a row may pay more below the node because the lane was not tested, what any test costs
    // at least after one of the lane, and what a row pays at most in all.
    std::vector<double> missed, next;
    double most = 0;
    std::size_t bytes() const {
        return 8 * (now.capacity() + discounted.capacity() + attribute.capacity() + group.capacity() +
                    missed.capacity() + next.capacity());
    }
    PairPrices pairs() const {
        return {now.data(), discounted.data(), attribute.data(), group.data(), grouped, next.data()};
    }
    // Changes the prices to those after a test.
    void test(const NodePrices& before, std::size_t lane, const Kernels& kernels);
    // Fills `missed`, `next` and `most` for trees of a depth, before anything is bounded at the node.
    void prepare_bounds(const std::vector<std::int32_t>& lanes, int depth, PriceWork& work);
    // What a row may pay more after the test of `tested` alone than after that of `lane` alone.
    double lost(std::size_t tested, std::size_t lane) const {
        return attribute[tested] == attribute[lane] ? 0.0
               : group[tested] == group[lane]       ? discounted[lane]
                                                    : missed[lane];
    }
    void lost(std::size_t tested, std::vector<double>& out, const Kernels& kernels) const;  // for all lanes
};

class PriceBook {
public:
    PriceBook(const Prices* prices, const ReducedProblem& reduced, double ticks_per_unit);
    bool any() const { return !full_.empty(); }
    bool ordered() const { return ordered_; }  // no discount makes anything dearer

    // Prices at a node: `path` holds the root features tested before.
    void at_node(const Node& node, const std::vector<int>& path, NodePrices& out) const;
    // Of a feature after a path; a tree's prices are summed up with it.
    double price(int feature, const std::vector<int>& path) const;
    PriceWork work() const;
    // The largest number of ticks that the prices and `ticks` are whole multiples of.
    double common_unit(double ticks) const;
    // What a subproblem's costs depend on beside its rows: the attributes on the path that have a price.
    void append_key(const std::vector<int>& path, std::string& key) const;

private:
    std::vector<std::int32_t> attribute_, group_;  // by root feature, numbered from 0; -1 for no group
    int n_attributes_ = 0, n_groups_ = 0;
    std::vector<double> full_, discounted_;  // in ticks
    bool grouped_ = false, ordered_ = true;
};

}  // namespace streed
