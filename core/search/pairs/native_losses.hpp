// Losses that the kernels know, in the search: their pair tables, packed sums and pair problems.
#pragma once

#include <cstdint>
#include <vector>

#include "search/pairs/spare.hpp"
#include "search/thread_state.hpp"

namespace streed {

class NativeLosses {
public:
    explicit NativeLosses(ThreadState& thread) : thread_(thread), search_(thread.search) {}

    bool packed() const { return search_.has_native() && search_.reduced.shift > 0; }
    void load_table(Level& at);
    void fill_table(const Level& at, const Frame& frame, const std::uint64_t* filter, const void* singles,
                    void* table, bool half);
    void count_packed(const Level& at, const std::uint64_t* filter, const std::int64_t* singles,
                      AlignedBuffer& table, bool half);
    KnownSums packed_side(const Level& at, int lane, bool side);
    void begin_packed_children(const Level& at, int lane, bool small_side, ChildSums& children);
    PairBenefit solve_pairs(const Node& node, const PairProblem& problem, int nodes, double* per_root);

private:
    void pack_rows(Level& at);

    ThreadState& thread_;
    Search& search_;
    AlignedBuffer indices_;
    std::vector<double> side_sums_, roots_;
};

}  // namespace streed
