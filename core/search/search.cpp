// What all threads of a solve share: the leaf model in ticks, prices, caches, memory, the clock.
//
// Costs are counted in ticks, whole numbers in doubles below 2^50: sums are exact in any order, so that equal
// costs are equal for every thread and no comparison needs a tolerance.
#include "search/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace streed {

void normalise(int& depth, int& nodes) {
    depth = std::min(depth, nodes);
    nodes = std::min(nodes, full_tree(depth));
}

namespace {

// Two ticks per grain suffice for whole weights; branching costs and prices want a finer tick. A leaf
// function's costs are in ticks from the first.
double ticks_per_grain(const Problem& problem, const ReducedProblem& reduced, const Options& options) {
    if (!traits_of(reduced.kind).benefit) return 1;
    double most_price = 0;
    if (problem.prices != nullptr)
        for (std::size_t f = 0; f < problem.n_features; ++f)
            most_price = std::max({most_price, problem.prices->full[f], problem.prices->discounted[f]});
    if (options.branch_cost == 0 && most_price == 0) return 2;
    const double on_path = most_price * static_cast<double>(problem.n_rows) * std::max(1, options.max_depth);
    const double spread = std::max(reduced.total, (options.branch_cost + on_path) / reduced.grain);
    return std::ldexp(1.0, std::clamp(50 - std::ilogb(spread) - 1, 1, 40));
}

// No value is larger, as far as that is known.
double most_ticks(const Problem& problem, const ReducedProblem& reduced, const Options& options) {
    if (!reduced.bounded || !traits_of(reduced.kind).benefit) return std::numeric_limits<double>::infinity();
    return ticks_per_grain(problem, reduced, options) * reduced.total;
}

}  // namespace

Search::Search(const Problem& the_problem, const ReducedProblem& reduced_problem, const Options& the_options,
               const Kernels& the_kernels, run::Clock::time_point started)
    : Control(the_options, started),
      problem(the_problem),
      reduced(reduced_problem),
      kernels(the_kernels),
      traits(traits_of(reduced_problem.kind)),
      prices(the_problem.prices, reduced_problem,
             ticks_per_grain(the_problem, reduced_problem, the_options) / reduced_problem.grain),
      pairs(memory),
      records(memory, 2 * reduced_problem.features.size(),
              most_ticks(the_problem, reduced_problem, the_options), the_options.n_threads > 1),
      subproblems(memory) {
    const double per_grain = ticks_per_grain(problem, reduced, options);
    model.kind = reduced.kind;
    model.n_values = reduced.n_values;
    model.scale = reduced.scale.empty() ? nullptr : reduced.scale.data();
    model.maximum = problem.maximum;
    model.min_samples_leaf = options.min_samples_leaf;
    model.counted = options.min_samples_leaf > 1 || problem.prices != nullptr ||
                    (problem.function != nullptr && !reduced.native);
    model.ticks = traits.difference ? per_grain / 2 : per_grain * reduced.scale_unit;
    model.branch_cost = std::nearbyint(options.branch_cost / reduced.grain * per_grain);
    model.in_units = prices.any() && !has_function() && options.switches.whole_units;
    if (model.in_units) model.unit = prices.common_unit(model.ticks);
    per_weight_ = has_function() ? reduced.weight_ticks : model.scale != nullptr ? model.ticks : per_grain;
    tick_ = reduced.grain / per_grain;
    if (has_function() && !prices.any() && !reduced.native) fill_leaf_table();
    if (leaf_table.ready() && options.min_samples_leaf == 1)
        model.counted = false;  // the table knows empty leaves
}

double Search::leaf_cost(const Node& node) const {
    if (has_function()) {
        std::vector<double> sums(static_cast<std::size_t>(model.n_values));
        for (std::size_t c = 0; c < sums.size(); ++c) sums[c] = node.total(static_cast<int>(c));
        double cost;
        leaf_costs(sums.data(), 1, &cost);
        return cost;
    }
    return model.ticks * node.potential() - leaf_benefit(model, [&](int k) { return node.total(k); });
}

void Search::take_memory(std::size_t bytes) {
    if (!memory.fits(bytes)) {
        memory.take(bytes);
        memory.overflow();
        pairs.shrink();
        records.shrink();
        subproblems.shrink();
    } else {
        memory.take(bytes);
    }
}

}  // namespace streed
