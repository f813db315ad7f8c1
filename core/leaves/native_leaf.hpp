// Leaf functions that the engine knows by itself: what a leaf costs from the sums of its rows' statistics,
// without a call.
//
//   squares:   sums [n, s_1, ..., s_m, q], cost q - (s_1^2 + ... + s_m^2) / n: squared error about the mean,
//   q = sum of squares log_ratio: sums [a, b, e], cost e - a log(a / b): deviance of events a whose expected
//   number is proportional to b, a Poisson
//              likelihood; of survival a = events and b = cumulative hazards, of counts a = sum of them and b
//              = exposure
//
// Both are zero for a single row with the right last statistic, and no row makes a leaf cheaper. That gives
// the bound of equivalent rows: what rows with equal features cost together is unavoidable and taken off the
// last statistic (take_waste in data/reduce.cpp), so that the search begins at zero.
//
// Rounding: statistics lie on a grid on which sums are exact, so that the cost of a leaf depends on its rows
// alone, never on the order of additions. It is rounded to ticks (2^-36 of the root's cost), and all later
// sums are exact. The same template serves vectors and single numbers and is compiled without contraction of
// products and sums: all instruction sets round alike.
#pragma once

#include <cstddef>

namespace streed {

enum class NativeLeaf : int { none = 0, squares = 1, log_ratio = 2 };

// The leaf function as the kernels see it.
struct NativeModel {
    NativeLeaf form;
    int n_values;
    const double* units;  // what a one of each sum stands for; null: one
    double per_unit;      // ticks
    double least;  // rows of a leaf; those are counted in a channel after the values if it is above one
};

}  // namespace streed
