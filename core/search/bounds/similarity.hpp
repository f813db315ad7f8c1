// The similarity bound between the children of one node.
#pragma once

#include <vector>

#include "search/pairs/native_losses.hpp"
#include "search/pairs/pair_tables.hpp"
#include "search/thread_state.hpp"

namespace streed {

class SimilarityBounds {
public:
    SimilarityBounds(ThreadState& thread, PairTables& tables, NativeLosses& native)
        : on(thread.search.similar()),
          thread_(thread),
          search_(thread.search),
          tables_(tables),
          native_(native) {}

    void inherit(Level& parent, Level& at);
    void push_children(Level& at, int lane);
    void push(Level& at, int lane, bool side, int nodes, double value);
    void make_weights(Level& at);
    void prepare_sharing(Level& at);
    double rounding_slack(int nodes) const;

    const bool on;

private:
    void load_weights(Level& at);
    void count_weights(Level& at);

    ThreadState& thread_;
    Search& search_;
    PairTables& tables_;
    NativeLosses& native_;
    std::vector<double> lost_;
};

}  // namespace streed
