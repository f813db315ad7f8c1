// The leaf models: what the rows of a leaf cost. One file each, and one table of them (leaf_models.cpp).
//
// To add a loss, a function of sums that the kernels evaluate themselves:
//   1. Write leaves/native/<loss>.hpp with one struct: its name, the statistics that it takes, the benefit
//      of a leaf as a template of numbers or vectors (its cost is the last statistic less the benefit), what
//      a benefit of one is worth in the units of the sums, and what rows can add to the cost of a leaf. Copy
//      log_ratio.hpp. No row may make a leaf cheaper (native/leaf.hpp says why). Packed sums (kPacked) are
//      for squares alone.
//   2. Register it in leaves/native/losses.hpp. Names, checks, kernels for every instruction set, bounds of
//      equal rows and the binding follow from that.
//   3. Write the Python task, src/streed/tasks/<loss>.py, with its line in the registry of tasks. Its form is
//      made from LeafFunction(..., native="<loss>"). Compare it with the same function in Python, as
//      tests/unit/test_native.py does.
// A loss that is only a function of sums in Python needs the third step alone.
//
// To add a leaf model of another form, whose rows are reduced or whose pairs are evaluated in a new way:
//   1. Write leaves/<model>.cpp with the functions of LeafModelFunctions. Copy class_errors.cpp.
//   2. Declare it below, add it to the table in leaf_models.cpp, and give Problem (data/problem.hpp) the
//      arrays that it is made from.
//   3. Its `reduce` sets the kind of sums that are searched (leaf_kind.hpp). If none of the four fits, add a
//      kind with its properties, its benefit (kernels/leaf_benefit.hpp) and its pair evaluation
//      (kernels/pairs/).
//   4. Write the binding (bindings/module.cpp, _core.pyi) and src/streed/leaves/<model>.py.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/options.hpp"
#include "data/slots.hpp"

namespace streed {

struct RowRange {
    double least, most;
};

struct LeafModelFunctions {
    // Whether a problem has this leaf model.
    bool (*given)(const Problem&);
    // A leaf of the finished tree, from the rows as they were given: how many sums it has, what rows add to
    // them, and the costs [label][leaf] of n leaves with the sums [sum][leaf].
    int (*n_sums)(const Problem&);
    void (*add)(const Problem&, const std::uint32_t* rows, std::size_t n, double* sums);
    void (*costs)(const Problem&, const double* sums, std::size_t n, double* costs);
    // What a row adds to a leaf at least and at most; null where a leaf does not cost the sum of its rows.
    RowRange (*row_range)(const Problem&, std::size_t row);
    // No row costs less than nothing.
    bool nonnegative;
    // The rows of the search: merged and cancelled, their unavoidable cost taken off, what each can cost
    // above that, and all numbers on a grid on which sums are exact.
    void (*reduce)(ReducedProblem&, const GroupedRows&);
};

extern const LeafModelFunctions class_errors, label_costs, function_of_sums;

const LeafModelFunctions& leaf_model_of(const Problem& problem);

// Merges equal rows, drops constant, duplicate and complement features, and reduces the rest by leaf model.
ReducedProblem reduce(const Problem& problem, const Preprocessing& options);

// What a search with these options needs of it.
Preprocessing preprocessing(const Problem& problem, const Options& options);

}  // namespace streed
