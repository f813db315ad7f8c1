// Bounds from the price of a branching node, for leaf functions whose cost no row lowers.
#pragma once

#include <optional>

#include "search/pairs/pair_solver.hpp"
#include "search/thread_state.hpp"

namespace streed {

class PriceBounds {
public:
    PriceBounds(ThreadState& thread, PairTables& tables, PairSolver& pairs)
        : thread_(thread), search_(thread.search), tables_(tables), pairs_(pairs) {}

    void bound(Level& at) const;
    std::optional<Outcome> solve(Level& at, int nodes, double upper);

private:
    ThreadState& thread_;
    Search& search_;
    PairTables& tables_;
    PairSolver& pairs_;
};

}  // namespace streed
