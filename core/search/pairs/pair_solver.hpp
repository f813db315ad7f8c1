// Values of trees of two levels and of one, of a node and of both children of a feature.
#pragma once

#include "search/pairs/leaf_functions.hpp"
#include "search/pairs/native_losses.hpp"
#include "search/pairs/pair_tables.hpp"
#include "search/thread_state.hpp"

namespace streed {

class PairSolver {
public:
    PairSolver(ThreadState& thread, PairTables& tables, NativeLosses& native, LeafFunctions& functions)
        : thread_(thread),
          search_(thread.search),
          tables_(tables),
          native_(native),
          functions_(functions),
          children_(tables.spare) {}

    PairProblem problem(const Level& at) const;
    PairBenefit benefit(const Node& node, PairProblem problem, const NodePrices& prices, int nodes,
                        double* per_root);
    double solve(Level& at, int nodes, double* per_root = nullptr);
    double look_ahead(Level& at, int nodes);  // fills Level::look, too
    double best_stump(const Level& at, int* lane) const;
    double side_benefit(const Level& at, int lane, bool side) const;
    double value_of(const Node& node, double benefit) const;

    void begin_children(const Level& at, int lane, bool small_side, bool with_sizes = false);
    PairProblem child_problem(const Level& at, int lane, bool small_side, bool large);
    const NodePrices& child_prices() const { return children_.prices; }

private:
    ThreadState& thread_;
    Search& search_;
    PairTables& tables_;
    NativeLosses& native_;
    LeafFunctions& functions_;
    ChildSums children_;
};

}  // namespace streed
