#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rebuild.hpp"

namespace streed::thresholds {
namespace {

// The tree that was found must have the value that was proven, up to the rounding of weights to the grid and
// of sums of doubles.
void check(const Search& search, const Result& result, Cost value) {
    const double expected = search.table.in_weights(value);
    const double rounding = 1e-9 *
                            (result.magnitude + std::abs(result.objective) + search.options.branch_cost);
    if (std::abs(result.objective - expected) > rounding)
        throw std::logic_error("the tree costs " + std::to_string(result.objective) +
                               ", but the search has found " + std::to_string(expected));
}

}  // namespace

Result solve(const Problem& problem, const Options& options, double work_limit) {
    const auto started = Search::Clock::now();
    const Kernels& kernels = select_kernels(options.simd);
    Table table = make_table(problem, options);
    Result result;
    std::shared_ptr<const Plan> plan;
    Search search(problem, table, options, work_limit, kernels, started);
    search.use_cache = options.switches.cache && search.depth >= 4;
    bool proven = false;
    {
        Worker worker(search, true);
        search.offer(search.cost(table.root.leaf_cost()), nullptr);
        try {
            if (options.poll) search.checkpoint(true);
            const Outcome start = worker.greedy(table.root, search.depth, search.nodes, 0);
            search.offer(start.value, start.plan);
            const Outcome outcome = worker.solve(table.root, search.depth, search.nodes, kInfinite, 0);
            search.set_optimum(outcome.value, outcome.plan);
            proven = true;
        } catch (const Stopped&) {
        }
        rebuild(search, worker, search.plan, result);
    }
    if (proven) check(search, result, search.incumbent);
    result.status = proven ? Status::optimal : search.status;
    result.lower_bound = proven ? result.objective
                                : std::min(result.objective, table.in_weights(search.lower_bound.load()));
    result.work = search.work();
    result.work_limit = !proven && search.out_of_work();
    result.statistics = search.statistics;
    result.statistics.cache_entries = search.cache.size();
    result.statistics.peak_memory = search.peak_memory();
    result.statistics.rows_merged = static_cast<std::size_t>(table.root.size());
    result.statistics.features_kept = static_cast<std::size_t>(table.root.n_columns());
    result.statistics.threads = static_cast<std::size_t>(options.n_threads);
    result.seconds = search.elapsed();
    return result;
}

}  // namespace streed::thresholds
