// Losses that the kernels evaluate themselves: what a leaf costs from the sums of its rows' statistics,
// without a call. native/losses.hpp lists them.
//
// The last statistic adds the same to all trees of the same rows. The *benefit* of a leaf is the rest of its
// cost, s^2 / n or a log(a / b), and the cost is the last sum less the benefit; the search maximises the sum
// of benefits, and pair tables leave the last statistic out.
//
// Every loss is zero for a single row with the right last statistic, and no row makes a leaf cheaper. That
// gives the bound of equivalent rows: what rows with equal features cost together is unavoidable, and the
// last statistic of a merged row, its *potential*, is its own benefit (function_of_sums.cpp), so that the
// search begins at zero.
//
// Rounding: statistics are whole numbers of units or lie on a grid, so that the cost of a leaf depends on its
// rows alone, never on the order of additions. Benefits and potentials are rounded to ticks (2^-36 of the
// root's cost), and all later sums are exact. Finer ticks would tell trees apart that are equal but for the
// rounding of their sums: which one is returned would be chance. Potentials are two ticks more than their
// benefit: no rounding brings a cost below zero. The same template serves vectors and single numbers and is
// compiled without contraction of products and sums: all instruction sets round alike.
#pragma once

#include <cstddef>

namespace streed {

// A position in the list of losses.
enum class NativeLeaf : int { none = -1 };

constexpr double kPotentialMargin = 2;  // ticks of a slot, see above

// The leaf function as the kernels see it.
struct NativeModel {
    NativeLeaf loss;
    int n_values;      // statistics of a slot, the potential being the last one
    double factor;     // ticks of a benefit of one, in the units of the sums
    double parameter;  // of the benefit, as the loss has it
    double least;      // rows of a leaf; those are counted in a channel after the values if it is above one
    int shift;  // where the first sum lies in a packed number (packed_table.hpp); 0: sums are not packed
};

template <class... Losses>
struct LossList {
    static constexpr int kCount = sizeof...(Losses);

    // Calls `visitor` with an object of the type of a loss.
    template <class Visitor>
    static void visit(NativeLeaf loss, Visitor&& visitor) {
        int at = 0;
        static_cast<void>(((at++ == static_cast<int>(loss) && (visitor(Losses{}), true)) || ...));
    }
};

}  // namespace streed
