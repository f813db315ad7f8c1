// Few thresholds of many: quantiles, those of greedy trees, and windows around those of a known tree.
#pragma once

#include <cstdint>
#include <vector>

#include "thresholds/search/search.hpp"

namespace streed::thresholds {

// Per column of the search, ranks of the root in rising order: rows whose rank is at most a cut are below it.
class Cuts {
public:
    explicit Cuts(int n_columns) : of_(static_cast<std::size_t>(n_columns)) {}

    void add(int column, std::int32_t rank);
    void add(const Plan* plan);  // the tests of a tree
    void add(const Cuts& other);
    const std::vector<std::int32_t>& of(int column) const { return of_[static_cast<std::size_t>(column)]; }
    int n_columns() const { return static_cast<int>(of_.size()); }
    std::size_t size() const;

private:
    std::vector<std::vector<std::int32_t>> of_;
};

// At so many quantiles of the rows of a node, in every column.
Cuts quantile_cuts(const Search& search, const Node& node, int per_column);

// Of two greedy trees by the criteria of the row model, the second with one level more.
Cuts greedy_cuts(Search& search, const Node& node, int depth);

// Around each test of a tree, quantiles of the rows between it and the nearest known cuts on both sides, so
// many on each side, and the tests themselves.
Cuts window_cuts(const Search& search, const Node& node, const Cuts& known, const Plan* plan, int per_side);

}  // namespace streed::thresholds
