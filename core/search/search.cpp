#include "search.hpp"

#include <algorithm>
#include <cmath>

namespace streed {

void normalise(int& depth, int& nodes) {
    depth = std::min(depth, nodes);
    nodes = std::min(nodes, full_tree(depth));
}

Search::Search(const ReducedProblem& reduced_problem, const Options& the_options, const Kernels& the_kernels, Clock::time_point started)
    : reduced(reduced_problem),
      options(the_options),
      kernels(the_kernels),
      memory(the_options.memory_limit),
      pairs(memory),
      subproblems(memory),
      started_(started) {
    // Two ticks per grain suffice for whole weights; a branching cost wants a finer tick.
    double per_grain = 2;
    if (options.branch_cost > 0) {
        const double spread = std::max(reduced.total, options.branch_cost / reduced.grain);
        per_grain = std::ldexp(1.0, std::clamp(50 - std::ilogb(spread) - 1, 1, 40));
    }
    const bool is_signed = reduced.kind == LeafKind::signed_difference;
    model.kind = reduced.kind;
    model.n_values = reduced.n_values;
    model.min_samples_leaf = options.min_samples_leaf;
    model.ticks = is_signed ? per_grain / 2 : per_grain;
    model.branch_cost = std::nearbyint(options.branch_cost / reduced.grain * per_grain);
    per_weight_ = per_grain;
    tick_ = reduced.grain / per_grain;
}

double Search::leaf_cost(const Node& node) const {
    double benefit = node.total(0);
    if (model.kind == LeafKind::signed_difference) {
        benefit = std::abs(benefit);
    } else {
        for (int k = 1; k < model.n_values; ++k) benefit = std::max(benefit, node.total(k));
    }
    return model.ticks * (node.weight() - benefit);
}

void Search::take_memory(std::size_t bytes) {
    if (!memory.fits(bytes)) {
        memory.take(bytes);
        pairs.shrink();
        subproblems.shrink();
    } else {
        memory.take(bytes);
    }
}

double Search::elapsed() const {
    return std::chrono::duration<double>(Clock::now() - started_).count();
}

void Search::checkpoint(bool calling_thread) {
    if (stopped()) throw Stopped{};
    const double now = elapsed();
    if (now > options.time_limit) {
        stop_reason = Status::time_limit;
        stop_ = true;
    } else if (calling_thread && options.poll && now >= next_poll_) {
        next_poll_ = now + 0.1;
        if (options.poll(progress ? progress() : Progress{now, 0, 0, 0, 0})) {
            stop_reason = Status::interrupted;
            stop_ = true;
        }
    }
    if (stopped()) throw Stopped{};
}

}  // namespace streed
