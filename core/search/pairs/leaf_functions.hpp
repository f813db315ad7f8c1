// Leaf functions in the search: the costs of sides and pairs, from a table of costs or by calls.
#pragma once

#include <cstdint>
#include <vector>

#include "search/thread_state.hpp"

namespace streed {

class LeafFunctions {
public:
    explicit LeafFunctions(ThreadState& thread) : thread_(thread), search_(thread.search) {}

    void load_side_costs(Level& at);
    PairBenefit solve_pairs(const Node& node, const PairProblem& problem, int nodes, double* per_root);
    CellPlan plan_cells(const Node& node, const PairProblem& problem);

private:
    PairBenefit solve_by_table(const Node& node, const PairProblem& problem, int nodes, double* per_root);
    [[noreturn]] void find_wrong_cell(const Node& node, const PairProblem& problem) const;
    void reduce_priced(const CellPlan& plan, const PairProblem& problem, std::size_t a, const double* ticks,
                       const double* sizes, double* right, double* left) const;

    ThreadState& thread_;
    Search& search_;
    std::vector<double> cells_, cell_costs_, cell_sizes_, cell_singles_, cell_totals_, cell_row_, roots_;
    std::vector<std::int32_t> cell_lanes_, cell_positions_;
};

}  // namespace streed
