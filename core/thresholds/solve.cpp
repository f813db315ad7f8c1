// The order of a solve over thresholds: greedy trees, the search, the tree of the plan, and its check.
#include <algorithm>
#include <cmath>
#include <utility>

#include "run/conclude.hpp"
#include "thresholds/anytime/anytime.hpp"
#include "thresholds/rebuild.hpp"

namespace streed::thresholds {
namespace {

// What counting anew may differ by: weights are rounded to the grid, and sums of doubles are rounded.
double rounding_of(const Search& search, const FinishedTree& tree) {
    return 1e-9 * (tree.magnitude + std::abs(tree.objective) + search.options.branch_cost) +
           search.problem.model->rounding(search.problem);
}

// Of more rows, two levels over all thresholds take longer than a first tree may.
constexpr int kManyRows = 20000;

// A greedy tree is there after one pass per level. The next one has the best two last levels, unless a
// descent is to follow. With the best three of four levels iris took 0.7 times as long, bank 1.5 times and
// breast cancer 1.2 times.
void start_with_greedy_trees(Search& search, Worker& worker) {
    Node& root = search.table.root;
    for (const int best_levels : {0, 2}) {
        if (best_levels > 0 && search.effort.anytime() && root.size() > kManyRows) return;
        const Cost best = search.incumbent.value();
        if (best == 0 || search.depth <= best_levels) return;
        const std::shared_ptr<const Plan> known = search.incumbent.solution();
        const Outcome start = worker.greedy(root, search.depth, search.nodes, best_levels, best, 0,
                                            known.get());
        search.incumbent.offer(start.value, start.plan);
    }
}

}  // namespace

Result solve(const Problem& problem, const Options& options, const Effort& effort) {
    const auto started = run::Clock::now();
    const Kernels& kernels = select_kernels(options.simd);
    Table table = make_table(problem, options);
    Search search(problem, table, options, effort, kernels, started);
    search.use_cache = options.switches.cache && search.depth >= 4;
    Result result;
    run::Proof proof;
    FinishedTree finished;
    {
        Worker worker(search, true);
        search.incumbent.offer(search.cost(table.root.leaf_cost()), nullptr);
        try {
            if (options.poll) search.checkpoint(true);
            start_with_greedy_trees(search, worker);
            bool proven = true;
            if (effort.anytime())
                proven = search_anytime(search, worker);
            else
                search_exactly(search, worker);
            if (!proven) proof.status = Status::time_limit;  // of work: nothing more was foreseen to end
            proof.bound = table.in_weights(proven ? search.incumbent.value() : search.lower_bound.load());
        } catch (const Stopped&) {
            proof.status = search.status();
            proof.bound = table.in_weights(search.lower_bound.load());
        }
        search.building = true;
        finished = rebuild(search, worker, search.incumbent.solution().get(), result.splits);
    }
    proof.rounding = rounding_of(search, finished);
    Statistics statistics = search.statistics;
    statistics.cache_entries = search.cache.size();
    statistics.rows_merged = static_cast<std::size_t>(table.root.size());
    statistics.features_kept = static_cast<std::size_t>(table.root.n_columns());
    run::conclude(search, std::move(finished), proof, statistics, result);
    result.work = search.work();
    result.work_limit = proof.status != Status::optimal && (search.out_of_work() || !search.stopped());
    return result;
}

}  // namespace streed::thresholds
