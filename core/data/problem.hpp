// What the engine is asked to solve, and the reduced problem it searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/kernels.hpp"

namespace streed {

// Prices of tests, per feature of the problem: a feature is free where its attribute was tested before on the
// path, has its discounted price where another attribute of its group was, else its full price. Every row at
// the node pays. All features of an attribute have the same group and the same prices.
struct Prices {
    const std::int32_t* attribute = nullptr;
    const std::int32_t* group = nullptr;  // -1: none
    const double* full = nullptr;
    const double* discounted = nullptr;
};

// A leaf's cost as a function of the sums of its rows' statistics.
struct LeafFunction {
    const double* statistics = nullptr;  // n_rows x n_statistics
    int n_statistics = 0;
    // Costs [label][leaf] of `n` leaves with the sums [statistic][leaf]. May throw; may be called by any
    // thread.
    std::function<void(const double* sums, std::size_t n, double* costs)> costs;
    // Called after a failure that does not matter, since the leaves in question may not exist.
    std::function<void()> clear_failure = [] {};
    // What a row adds to the cost of a leaf, at least and at most; null where that is not known.
    const double* least = nullptr;
    const double* worst = nullptr;
    NativeLeaf native =
        NativeLeaf::none;  // a form that the kernels know; `costs` is the same function for single leaves
    double parameter = 0;  // of the native form, such as a smoothing
    double grain = 0;  // costs are fewer than 2^47 of it, and whole numbers if it is 1; 0: found by trying
};

// Rows with 0/1 features, and one of three leaf models:
//   class errors: every row has a label and a weight; a leaf costs the weight of its rows with another label
//   label costs:  a leaf costs the sum of its rows' costs for its label
//   function:     a leaf costs what a function makes of its rows' statistics
struct Problem {
    const std::uint8_t* features = nullptr;  // n_rows x n_features, row by row
    std::size_t n_rows = 0;
    std::size_t n_features = 0;
    int n_labels = 1;
    const std::int32_t* labels = nullptr;
    const double* weights = nullptr;
    const double* costs = nullptr;  // n_rows x n_labels
    const LeafFunction* function = nullptr;
    const Prices* prices = nullptr;
    bool maximum = false;  // a tree costs what its most expensive leaf does, and branching costs nothing
};

// The root problem after preprocessing. Slots are rows of the search; those that do not exist (padding up to
// the end of a word) have a zero in `valid`. Two forms:
//   counting: every slot counts one. Equal rows with different labels have cancelled each other, equal rows
//   with the
//             same label stand side by side. Slots that cancel but must stay (rows are counted) are light.
//   weighted: equal rows are one slot with one value (per label block) or several (one block).
struct ReducedProblem {
    std::vector<std::int32_t> features;  // kept columns of the problem
    std::vector<Block> blocks;           // one per label, or one for all
    int words = 0;
    std::vector<std::uint64_t> valid;
    std::vector<std::uint64_t> columns;  // [kept feature][words]
    bool counting = true;
    std::vector<std::uint64_t> light;  // counting: slots without weight of their own
    std::vector<double>
        scale;  // counting: what a row of each block weighs, in units of `scale_unit` grains; empty: one
    double scale_unit = 1;
    // Counting two labels: what a row of each block adds to the difference, in grains; empty: rows of the
    // first block add one, those of the second minus one. In absolute value that is the most the row can
    // cost.
    std::vector<std::int32_t> steps;
    int n_matrices = 1;             // weighted: values of a slot
    std::vector<double> value;      // weighted, [matrix][slot], in grains
    std::vector<double> weight;     // weighted, per slot: the most it can cost above its unavoidable part
    std::vector<double> potential;  // weighted, per slot: its cost when leaves have no benefit
    std::vector<double> count;      // weighted, per slot: rows of the problem

    LeafKind kind = LeafKind::signed_difference;
    int n_values = 1;
    bool similar = true;  // `weight` is known
    bool bounded = true;  // no leaf costs less than its unavoidable part
    Storage storage = Storage::i8;
    std::vector<double> units;  // leaf function: what a one of each value stands for; empty: one
    bool native = false;        // leaf function: one that the kernels know, used as such
    double factor = 1;          // native: as in NativeModel
    double parameter = 0;
    int shift = 0;
    bool ordered = false;  // native: the best groups of slots follow the order of the second value per first
    bool shifted = false;  // leaf function: the last value is what the rows cost at least
    double weight_ticks = 1;   // leaf function: ticks per unit of weight
    bool sized = false;        // packed sums: the weight of a slot is its first value
    bool exact = true;         // no cost is rounded in the search
    double largest_value = 1;  // of any slot
    double total = 0;          // of all weights, in grains
    double grain = 1;          // weight units per grain
    double base = 0;           // unavoidable cost in weight units: equal rows with different labels

    std::size_t bytes() const {
        return 8 * (valid.capacity() + columns.capacity() + light.capacity() + value.capacity() +
                    weight.capacity() + potential.capacity() + count.capacity()) +
               4 * features.capacity();
    }
};

struct Preprocessing {
    bool merge_rows = true;
    bool drop_features = true;
    bool keep_counts = false;  // rows are counted in leaves or nodes: those that cancel must stay
    bool packed_sums = true;   // native leaf functions: two statistics in one number where they fit
};

}  // namespace streed
