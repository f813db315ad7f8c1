// Pair tables: the sums of the rows with both of two features, and what the kernels need to count them.
#pragma once

#include <cstdint>

#include "search/pairs/native_losses.hpp"
#include "search/pairs/spare.hpp"
#include "search/thread_state.hpp"

namespace streed {

class PairTables {
public:
    PairTables(ThreadState& thread, NativeLosses& native)
        : thread_(thread), search_(thread.search), native_(native) {}

    void load(Level& at, bool with_weights = false);
    Scratch scratch(const Node& node, bool tallied = false);
    void count(const Frame& frame, const std::uint64_t* filter, const void* singles, void* table,
               double* weights, const Scratch& buffers) {
        ++thread_.statistics.tables_counted;
        search_.kernels.pair_table(frame, filter, singles, table, weights, buffers);
    }

    SpareTables spare;

private:
    bool sibling_is_cheaper(const Level& at, bool with_weights) const;
    void subtract_sibling(Level& at, double* weights);

    ThreadState& thread_;
    Search& search_;
    NativeLosses& native_;
    AlignedBuffer indices_, work_, narrow_, bits_, plan_, tallies_, panel_;
};

}  // namespace streed
