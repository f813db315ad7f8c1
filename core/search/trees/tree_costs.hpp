// What a tree over the features of the root costs, its rows being sent down as bits.
#pragma once

#include <functional>
#include <vector>

#include "search/level.hpp"

namespace streed {

class TreeCosts {
public:
    // The rows of a node of the tree, and what its subtree costs in ticks.
    using Visit = std::function<void(std::size_t index, const std::uint64_t* rows, double cost)>;

    TreeCosts(const Search& search, const Level& root) : search_(search), root_(root) {}

    double cost(const Tree& tree) const { return visit(tree, {}); }  // in ticks
    double visit(const Tree& tree, const Visit& each) const;         // children before their parents

    // The sums of rows as a leaf; counts of rows where those have labels, else sums of their values.
    std::vector<double> leaf_sums(const std::uint64_t* rows) const;

private:
    struct Walk {
        const Visit& each;
        std::vector<std::vector<std::uint64_t>> rows;  // by level
        std::vector<int> path;                         // features tested above
    };

    double cost_below(const Tree& tree, std::size_t at, Walk& walk) const;
    double own_cost(const Tree& tree, std::size_t at, const Walk& walk) const;
    double leaf_below(const std::uint64_t* rows) const;
    template <class Each>
    void each_slot(const std::uint64_t* rows, Each&& each) const;

    const Search& search_;
    const Level& root_;
};

}  // namespace streed
