// What all workers of a search over thresholds share: incumbent, bound, limits and progress.
#include "thresholds/search/search.hpp"

#include <algorithm>

namespace streed::thresholds {
Search::Search(const Problem& the_problem, Table& the_table, const Options& the_options,
               const Effort& the_effort, const Kernels& the_kernels, run::Clock::time_point started)
    : Control(the_options, started, the_effort.work_limit),
      effort(the_effort),
      problem(the_problem),
      table(the_table),
      kernels(the_kernels),
      branch_cost(the_table.branch_cost),
      least_rows(the_options.min_samples_leaf),
      cache(the_options.memory_limit / 3),
      depth(std::min(the_options.max_depth, the_options.max_nodes)),
      nodes(std::min(the_options.max_nodes, full_tree(depth))) {
    memory.take(the_table.bytes);
    progress = [this] {
        const Cost best = std::min(incumbent.value(), table.root.leaf_cost() * table.ticks);
        Progress out;
        out.objective = table.in_weights(best);
        out.lower_bound = table.in_weights(std::min(lower_bound.load(), best));
        out.root_done = root_done.load();
        return out;
    };
}

void Search::take_memory(std::ptrdiff_t bytes) {
    if (bytes <= 0) return memory.give(static_cast<std::size_t>(-bytes));
    memory.take(static_cast<std::size_t>(bytes));
    if (!memory.exceeded() || stopped() || building) return;
    stop(Status::memory_limit);
    throw Stopped{};
}

void Search::raise_bound(Cost bound) {
    Cost known = lower_bound.load();
    while (bound > known && !lower_bound.compare_exchange_weak(known, bound)) {
    }
}

}  // namespace streed::thresholds
