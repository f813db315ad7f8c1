// The bound of labels: a subtree is right about no more labels than it has leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "search/pairs/pair_tables.hpp"
#include "search/thread_state.hpp"

namespace streed {

class LabelBounds {
public:
    LabelBounds(ThreadState& thread, PairTables& tables)
        : thread_(thread), search_(thread.search), tables_(tables) {}

    void bound(Level& at);

private:
    bool useful(int labels) const;

    ThreadState& thread_;
    Search& search_;
    PairTables& tables_;
    AlignedBuffer gains_;
    std::vector<std::uint64_t> filter_;
};

}  // namespace streed
