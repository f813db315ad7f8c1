// How a search and its neighbourhoods share the time of one thread.
#pragma once

#include <algorithm>

namespace streed {

class Turns {
public:
    // The deeper the trees, the less a search proves or finds. Of several threads one takes all the turns.
    Turns(int depth, int n_threads)
        : share_(std::min(0.9, n_threads * (depth <= 5   ? 0.1
                                            : depth == 6 ? 0.25
                                            : depth == 7 ? 0.6
                                                         : 0.75))) {}

    bool due(double now) const { return spent_ < share_ * now; }
    // At least a few steps at a time, and no longer than the search had before.
    double until(double now) const { return now + std::max(0.002, share_ * now - spent_); }
    void took(double seconds) { spent_ += seconds; }

private:
    double share_;
    double spent_ = 0;
};

}  // namespace streed
