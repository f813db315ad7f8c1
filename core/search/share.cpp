// The features of the root, shared out to threads. Sharing out nodes further down was not needed: a root has
// many more features than there are threads.
#include <algorithm>

#include "run/team.hpp"
#include "search/search.hpp"

namespace streed {

void share_root(Worker& main, int n_threads, const std::function<void(Worker&, std::size_t)>& visit) {
    Search& search = main.search();
    Level& root = main.level(0);
    const int threads = std::min(n_threads, static_cast<int>(root.order.size()));
    std::vector<std::unique_ptr<Worker>> others;
    for (int t = 1; t < threads; ++t) others.push_back(std::make_unique<Worker>(search, root, false));
    root.shared = threads > 1;
    if (root.shared) main.prepare_sharing(root);
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
    main.record_children(root);
}

}  // namespace streed
