// From proven values back to trees.
#pragma once

#include "model/result.hpp"
#include "search/pairs/pair_solver.hpp"
#include "search/thread_state.hpp"

namespace streed {

class Worker;

class Rebuilder {
public:
    explicit Rebuilder(Worker& worker);

    // A tree for the node at `level`, whose root comes out.
    int construct(int level, int depth, int nodes, double value,
                  Tree& tree);  // of proven value, by the fixed rule
    int construct_choice(int level, int depth, int nodes, Tree& tree);
    int recall(int level, int depth, int nodes, Tree& tree);  // from the cache, for an early end
    int recall_split(int level, int lane, int depth, int nodes, int left_nodes, Tree& tree);
    int lookahead(int level, int depth, int nodes, Tree& tree);  // greedy on trees of depth two
    // Trees of one node and of up to two levels.
    int leaf(Tree& tree) const;
    int stump(int level, Tree& tree);
    int pair(int level, int nodes, Tree& tree);

private:
    template <class Grow>
    int split(int level, int lane, int depth, const int nodes[2], Tree& tree, Grow&& grow);
    Tree pair_subtree(const Node& node, const PairProblem& problem, const NodePrices& prices,
                      const std::uint64_t* rows, int nodes, const double* look);
    Tree child_subtree(const Level& at, int lane, bool side, bool small_side, int nodes);
    int grown_pair(int level, int lane, int nodes, Tree& tree);

    Worker& worker_;
    Search& search_;
};

}  // namespace streed
