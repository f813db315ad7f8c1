// The bound of target groups for squared errors.
#pragma once

#include <cstdint>
#include <vector>

#include "search/thread_state.hpp"

namespace streed {

class GroupBounds {
public:
    explicit GroupBounds(ThreadState& thread) : thread_(thread), search_(thread.search) {}

    void bound(Level& at);

private:
    bool useful(const Level& at, int leaves) const;
    void bin_targets(const Node& node, int bins);
    double cost_in_groups(GroupProblem& problem);
    void bin_children(Level& at, GroupProblem& problem);

    ThreadState& thread_;
    Search& search_;
    std::vector<double> means_, totals_;  // [slot], [bin][statistic]
    std::vector<std::uint8_t> bin_;       // [slot]
    std::vector<std::int32_t> open_;      // features
    AlignedBuffer sums_, sets_, costs_, room_;
};

}  // namespace streed
