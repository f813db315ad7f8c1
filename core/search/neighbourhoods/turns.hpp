// How a search and its neighbourhoods share the time of one thread.
#pragma once

#include <algorithm>
#include <limits>

namespace streed {

class Turns {
public:
    // The deeper the trees, the less a search proves or finds. Of several threads one takes all the turns.
    Turns(int depth, int n_threads)
        : share_(std::min(0.9, n_threads * share(depth))), ends_(depth <= kEnds) {}

    bool due(double now) const { return spent_ < std::min(share_ * now, most_); }
    // At least a few steps at a time, and no longer than the search had before.
    double until(double now) const { return now + std::max(kLeast, share_ * now - spent_); }
    // Of a step: the first ones, of a few milliseconds, decide what a short limit leaves. With exact subtrees
    // of any length the first step of german-credit at depth 8 took from .05 to .15 s, and one of yeast .4 s.
    static double step(double now) { return std::max(kLeast, kStep * now); }
    // Where the search may end, neighbourhoods rest when they have found nothing for three times as long as
    // they took before: german-credit at depth 6 has its best tree after .1 of 8 s.
    void took(double seconds, bool better) {
        spent_ += seconds;
        if (better && ends_) most_ = kPatience + 4 * spent_;
    }

private:
    static constexpr int kEnds = 6;  // levels up to which searches end within minutes
    static constexpr double kLeast = 0.002, kPatience = 0.1;  // seconds
    static constexpr double kStep = 0.25;                     // of the time so far

    // Mean gap to the best known trees of five hard sets at depth 8: 38, 12 % after .5 and 10 s with .75.
    static double share(int depth) { return depth <= 5 ? 0.1 : depth == 6 ? 0.25 : depth == 7 ? 0.6 : 0.75; }

    double share_;
    bool ends_;
    double spent_ = 0;
    double most_ = ends_ ? kPatience : std::numeric_limits<double>::infinity();
};

}  // namespace streed
