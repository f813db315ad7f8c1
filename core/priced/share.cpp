// The root by several threads. Each takes the open feature with the best known tree that no other thread is
// at, and searches its children on levels of its own; bounds of the root, its best cost and the memo are
// shared. All go back to the root when prices of rows are to be looked for, which one thread does.
#include <limits>
#include <memory>

#include "priced/search.hpp"
#include "run/team.hpp"

namespace streed::priced {

void Worker::take_features(Level& at) {
    for (;;) {
        int lane;
        {
            const SharedLock lock(at);
            lane = choose(at, at.upper);
            if (lane < 0 || at.lower >= at.upper || halted()) return;
            at.taken[static_cast<std::size_t>(lane)] = 1;
        }
        solve_children(at, 0, lane, std::numeric_limits<double>::infinity());
        const SharedLock lock(at);
        at.taken[static_cast<std::size_t>(lane)] = 0;
    }
}

void Worker::share(Level& at) {
    if (!begin(at, std::numeric_limits<double>::infinity())) return;
    std::vector<std::unique_ptr<Worker>> others;
    for (int t = 1; t < search_.options.n_threads; ++t)
        others.push_back(std::make_unique<Worker>(search_, false));
    const auto piece = [&](int thread, std::size_t) {
        try {
            (thread == 0 ? *this : *others[static_cast<std::size_t>(thread) - 1]).take_features(at);
        } catch (...) {  // the other threads end when they look at the clock
            search_.stop(Status::interrupted);
            throw;
        }
    };
    run::Team team(search_.options.n_threads, piece, [&] { search_.look(true); });
    for (;;) {
        at.shared = true;
        team.run(static_cast<std::size_t>(search_.options.n_threads));
        at.shared = false;
        if (!search_.paused) break;
        search_.paused = false;
        if (search_.stopped() || choose(at, at.upper) < 0 || at.lower >= at.upper) break;
        certify(at);
    }
    choose(at, at.upper);  // the bound of all features
    finish(at);
}

}  // namespace streed::priced
