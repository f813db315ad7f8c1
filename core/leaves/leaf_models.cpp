// The table of leaf models, in the order in which they are asked.
#include "leaves/leaf_models.hpp"

#include <iterator>

namespace streed {

// The first one that a problem has is taken.
constexpr const LeafModelFunctions* kLeafModels[] = {&function_of_sums, &label_costs, &class_errors};

const LeafModelFunctions& leaf_model_of(const Problem& problem) {
    std::size_t at = 0;
    while (at + 1 < std::size(kLeafModels) && !kLeafModels[at]->given(problem)) ++at;
    return *kLeafModels[at];
}

ReducedProblem reduce(const Problem& problem, const Preprocessing& options) {
    ReducedProblem out;
    const GroupedRows rows = group_rows(problem, options, out.features);
    leaf_model_of(problem).reduce(out, rows);
    return out;
}

Preprocessing preprocessing(const Problem& problem, const Options& options) {
    return {.merge_rows = options.switches.merge_rows,
            .drop_features = options.switches.drop_features,
            .keep_counts = options.min_samples_leaf > 1 || problem.prices != nullptr,
            .packed_sums = options.switches.packed_sums};
}

}  // namespace streed
