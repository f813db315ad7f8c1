// The features of the root, shared out to threads. Sharing out nodes further down was not needed: a root has
// many more features than there are threads.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "run/team.hpp"
#include "search/level.hpp"

namespace streed {

// `visit(worker, k)` for the positions k of the order of the root's features, for which `main` has begun to
// branch; `make()` makes the worker of another thread.
template <class AnyWorker, class Make, class Visit>
void share_root(Search& search, Level& root, AnyWorker& main, Make&& make, Visit&& visit) {
    const int threads = std::min(search.options.n_threads, static_cast<int>(root.order.size()));
    std::vector<std::unique_ptr<AnyWorker>> others;
    for (int t = 1; t < threads; ++t) others.push_back(make());
    root.shared = threads > 1;
    if (root.shared) main.similarity.prepare_sharing(root);
    const auto piece = [&](int thread, std::size_t k) {
        try {
            visit(thread == 0 ? main : *others[static_cast<std::size_t>(thread) - 1], k);
        } catch (...) {  // the other threads end when they look at the clock
            search.stop(Status::interrupted);
            throw;
        }
    };
    const auto leave = [&] {
        for (const auto& worker : others) main.statistics.add(worker->statistics);
        root.shared = false;
    };
    try {
        run::Team(threads, piece, [&] { search.checkpoint(true); }).run(root.order.size());
    } catch (...) {
        leave();
        throw;
    }
    leave();
}

}  // namespace streed
