// Estimates of the children of a node with three levels left, for squared errors of one target.
#pragma once

#include <cstdint>
#include <vector>

#include "search/thread_state.hpp"

namespace streed {

class Screen {
public:
    explicit Screen(ThreadState& thread) : thread_(thread), search_(thread.search) {}

    // Before the first feature of a node: decides whether its children are estimated.
    void begin(Level& at);
    // Counts the smaller child of a feature; the estimates of both follow.
    void count_child(const Level& at, int lane);
    // Raises the bound of a child.
    void estimate(Level& at, int lane, bool side);
    // The value of a child that was estimated; false where too many roots would have to be solved.
    bool solve(const Level& at, int lane, bool side, double& value);

private:
    struct Child {
        AlignedBuffer singles, roots;
        float best = 0;
        double slack = 0;  // no estimate is further from the gain of its root, in squares of the grid
    };
    void count(const Level& at, const std::uint64_t* filter, std::int32_t* table);
    const std::int64_t* exact_singles(const Level& at, int lane, bool side);

    ThreadState& thread_;
    Search& search_;
    Child children_[2];  // the smaller one first
    AlignedBuffer indices_, room_, table_, floats_, row_, singles_;
    std::vector<std::uint64_t> filter_;  // rows of the smaller child
};

}  // namespace streed
