// Native losses outside the kernels: by name, for single leaves, and for groups of equal rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leaves/native/leaf.hpp"

namespace streed {

struct NativeLoss {
    std::string name;
    NativeLeaf loss;
    int least_statistics, most_statistics;  // that it takes
    bool parameter;                         // one is given
};

// All of them, in the order of native/losses.hpp.
const std::vector<NativeLoss>& native_losses();

// What a leaf costs, from its sums and the parameter as they are given.
double native_leaf_cost(NativeLeaf loss, const double* sums, std::size_t n_values, double parameter);

// What equal rows with these sums cost in any tree.
double native_unavoidable_cost(NativeLeaf loss, const double* sums, std::size_t n_values, double parameter);

// What each group of equal rows, given by its sums [group][statistic], can add to the cost of a leaf at most,
// above its unavoidable cost; empty if the loss does not know.
std::vector<double> native_most_added(NativeLeaf loss, const std::vector<double>& sums, std::size_t groups,
                                      std::size_t n_values, double parameter);

// What a native search needs beside the sums of its groups: units of one size, sums that fit one number
// (packed_table.hpp), ticks, potentials.
struct NativeUnits {
    double factor, parameter, grain;  // as in NativeModel; weight units per tick
    int shift;
    bool ordered;  // as in ReducedProblem
};

// Puts the statistics of all groups, [group][statistic] in `units`, into the form of the search; `grain` is
// that of the costs, `parameter` as it was given, `counted` says that rows are counted in leaves, `packing`
// that one number may be used.
NativeUnits finish_native(NativeLeaf loss, std::vector<double>& sums, std::vector<double>& units,
                          const std::vector<double>& counts, double parameter, double grain, bool counted,
                          bool packing);

}  // namespace streed
