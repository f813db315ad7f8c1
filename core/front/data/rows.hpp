// The rows of a problem with several components, prepared once for all searches.
//
// Rows are kept in two forms. Merged rows (equal features) carry one cost per label and component: scalar
// searches are made from them. Atoms are what vectors are summed over: rows of the same costs stand in one
// block each where there are few different costs, so that sums are counts of bits (a row is right or wrong,
// in one group or the other); else an atom is a merged row with a vector of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bits.hpp"
#include "front/data/tests.hpp"
#include "front/task.hpp"
#include "kernels/kernels.hpp"

namespace streed {

// A component of the search: one of the problem, or its negative, or nothing at all (source -1).
struct Component {
    int source = -1;
    double sign = 1;
};

struct Rows {
    Rows(const VectorProblem& problem, const std::vector<Component>& components, const Options& options);

    double cost(std::size_t merged, int label, int component) const {
        return costs[(merged * static_cast<std::size_t>(n_labels) + static_cast<std::size_t>(label)) *
                         static_cast<std::size_t>(n_values) +
                     static_cast<std::size_t>(component)];
    }
    bool has(std::size_t merged, int feature) const {
        return (merged_columns[static_cast<std::size_t>(feature) * merged_words + merged / 64] >>
                (merged % 64)) &
               1;
    }
    // The leaf of a tree over kept features that a merged row ends in.
    std::size_t leaf_of(std::size_t merged, const Tree& tree) const {
        std::size_t at = 0;
        while (tree[at].feature >= 0)
            at = static_cast<std::size_t>(has(merged, tree[at].feature) ? tree[at].right : tree[at].left);
        return at;
    }
    // Values of a tree over kept features; leaves without a label get the one of least weights . cost.
    std::vector<double> evaluate(Tree& tree, const std::vector<double>& weights) const;
    std::size_t bytes() const {
        return 8 * (costs.size() + counts.size() + merged_columns.size() + columns.size() + values.size());
    }

    std::size_t n_rows = 0;
    int n_labels = 1, n_values = 1;
    std::vector<std::int32_t> features;  // kept columns of the problem
    std::vector<double> grain;           // per component; all values below are whole numbers of grains
    std::vector<double> branch;          // per component
    TestPrices tests;
    std::vector<double> origin;  // values of the tree that gives everything label 0
    std::vector<double> most;    // per component: the largest value any tree can have

    std::size_t n_merged = 0, merged_words = 0;
    std::vector<double> costs;   // [merged][label][component]
    std::vector<double> counts;  // [merged], rows
    Words merged_columns;

    // Channels of an atom: for labels 1.. and every component the cost above that of label 0, then the number
    // of rows.
    bool counting = true;
    std::size_t channels = 1;
    std::vector<Block> blocks;
    std::vector<double> values;  // counting: [block][channel], else [atom][channel]
    std::size_t words = 0;
    Words valid, columns;

private:
    void put_on_grid(const VectorProblem& problem, const std::vector<Component>& components,
                     const Options& options, std::vector<double>& grid);
    void price_tests(const VectorProblem& problem, const std::vector<Component>& components, int depth);
    bool find_blocks(const std::vector<double>& grid, std::vector<std::vector<std::uint32_t>>& members);
    void differences(const double* row, std::vector<double>& out) const;
};

}  // namespace streed
