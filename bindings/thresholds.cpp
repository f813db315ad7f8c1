// The search over all thresholds of columns that are given as ranks.
#include "thresholds.hpp"

#include <limits>

#include "arguments.hpp"
#include "thresholds/problem.hpp"

using namespace nb::literals;
using namespace binding;

namespace {

using streed::thresholds::Problem;
using streed::thresholds::Split;

void check_ranks(const Problem& problem) {
    if (problem.n_rows == 0) refuse("ranks must have at least one row, got none");
    if (problem.n_rows >= (1ull << 31) || problem.n_columns >= (1ull << 24))
        refuse("ranks: more than 2^31 rows or 2^24 columns");
    for (std::size_t k = 0; k < problem.n_rows * problem.n_columns; ++k)
        if (problem.ranks[k] < -1 || problem.ranks[k] == INT32_MAX)
            refuse("ranks must be from 0 to 2^31 - 2, or -1 where a value is missing, got " +
                   text(problem.ranks[k]) + " in row " + text(k % problem.n_rows) + ", column " +
                   text(k / problem.n_rows));
}

void check_labels(const Problem& problem) {
    double total = 0;
    for (std::size_t r = 0; r < problem.n_rows; ++r) {
        total += problem.weights[r];
        if (problem.labels[r] < 0 || problem.labels[r] >= problem.n_labels)
            refuse("labels must be from 0 to " + text(problem.n_labels - 1) + ", got " +
                   text(problem.labels[r]) + " in row " + text(r));
        if (!std::isfinite(problem.weights[r]) || problem.weights[r] <= 0)
            refuse("weights must be finite and positive, got " + text(problem.weights[r]) + " in row " +
                   text(r));
    }
    if (!(total >= 1e-250 && total <= 1e250))
        refuse("the sum of the weights must be between 1e-250 and 1e250");
}

void check_costs(const Problem& problem) {
    double total = 0;
    const std::size_t width = static_cast<std::size_t>(problem.n_labels);
    for (std::size_t k = 0; k < problem.n_rows * width; ++k) {
        if (!std::isfinite(problem.costs[k]))
            refuse("costs must be finite, got " + text(problem.costs[k]) + " in row " + text(k / width) +
                   ", column " + text(k % width));
        total += std::abs(problem.costs[k]);
    }
    if (total != 0 && !(total >= 1e-250 && total <= 1e250))
        refuse("the sum of the absolute values of costs must be 0 or between 1e-250 and 1e250");
}

std::vector<std::int32_t> of_splits(const std::vector<Split>& splits, std::int32_t Split::* member) {
    std::vector<std::int32_t> values;
    for (const Split& split : splits) values.push_back(split.*member);
    return values;
}

nb::dict to_dict(const streed::thresholds::Result& result) {
    const streed::Statistics& s = result.statistics;
    nb::dict statistics;
    statistics["depth_two_solves"] = s.depth_two_solves;
    statistics["nodes"] = s.nodes;
    statistics["cache_hits"] = s.cache_hits;
    statistics["cache_entries"] = s.cache_entries;
    statistics["peak_memory"] = s.peak_memory;
    statistics["rows_kept"] = s.rows_merged;
    statistics["columns_kept"] = s.features_kept;
    statistics["threads"] = s.threads;
    std::vector<std::uint8_t> missing;
    for (const Split& split : result.splits) missing.push_back(split.missing_right ? 1 : 0);
    nb::dict out;
    out["feature"] = int_array(result.tree, &streed::TreeNode::feature);
    out["left"] = int_array(result.tree, &streed::TreeNode::left);
    out["right"] = int_array(result.tree, &streed::TreeNode::right);
    out["label"] = int_array(result.tree, &streed::TreeNode::label);
    out["column"] = as_array(of_splits(result.splits, &Split::column));
    out["rank"] = as_array(of_splits(result.splits, &Split::rank));
    out["next_rank"] = as_array(of_splits(result.splits, &Split::next));
    out["missing_right"] = as_array(std::move(missing));
    out["objective"] = result.objective;
    out["lower_bound"] = result.lower_bound;
    out["magnitude"] = result.magnitude;
    out["optimal"] = result.status == streed::Status::optimal;
    out["status"] = result.work_limit ? "work_limit" : status_name(result.status);
    out["work"] = result.work;
    out["seconds"] = result.seconds;
    out["statistics"] = statistics;
    return out;
}

// Rows have either labels and weights, or costs.
void set_rows(Problem& problem, const std::optional<Input<std::int32_t, 1>>& labels,
              const std::optional<Input<double, 1>>& weights, const std::optional<Input<double, 2>>& costs) {
    if (costs ? labels || weights : !labels || !weights) refuse("give either labels and weights, or costs");
    if (costs) {
        if (costs->shape(0) != problem.n_rows ||
            costs->shape(1) != static_cast<std::size_t>(problem.n_labels))
            refuse("costs must have shape (" + text(problem.n_rows) + ", " + text(problem.n_labels) +
                   "), got (" + text(costs->shape(0)) + ", " + text(costs->shape(1)) + ")");
        problem.costs = costs->data();
        return check_costs(problem);
    }
    if (labels->shape(0) != problem.n_rows || weights->shape(0) != problem.n_rows)
        refuse("ranks, labels and weights must have the same number of rows, got " + text(problem.n_rows) +
               ", " + text(labels->shape(0)) + " and " + text(weights->shape(0)));
    problem.labels = labels->data();
    problem.weights = weights->data();
    check_labels(problem);
}

nb::dict solve_thresholds(Input<std::int32_t, 2> ranks, const std::optional<Input<std::int32_t, 1>>& labels,
                          const std::optional<Input<double, 1>>& weights,
                          const std::optional<Input<double, 2>>& costs, int n_labels, int max_depth,
                          int max_nodes, int min_samples_leaf, double branch_cost, double time_limit,
                          std::int64_t memory_limit, int n_threads, double work_limit,
                          const std::optional<nb::dict>& switches, const std::string& simd, nb::object poll) {
    if (!poll.is_none() && !PyCallable_Check(poll.ptr()))
        throw nb::type_error("poll must be callable or None");
    streed::Options options = make_options(max_depth, max_nodes, min_samples_leaf, branch_cost, time_limit,
                                           memory_limit, n_threads, switches, simd);
    if (!(work_limit > 0)) refuse("work_limit must be positive, got " + text(work_limit));
    if (n_labels < 1 || n_labels > (1 << 24))
        refuse("n_labels must be from 1 to 2^24, got " + text(n_labels));
    Problem problem;
    problem.ranks = ranks.data();
    problem.n_columns = ranks.shape(0);
    problem.n_rows = ranks.shape(1);
    problem.n_labels = n_labels;
    check_ranks(problem);
    set_rows(problem, labels, weights, costs);
    Poll poller(poll);
    options.poll = [&poller](const streed::Progress& progress) { return poller(progress); };
    streed::thresholds::Result result;
    {
        const nb::gil_scoped_release release;
        result = streed::thresholds::solve(problem, options, work_limit);
    }
    if (poller.failure_) std::rethrow_exception(poller.failure_);
    return to_dict(result);
}

}  // namespace

void register_thresholds(nb::module_& module) {
    module.def("solve_thresholds", &solve_thresholds, "ranks"_a.noconvert(), "labels"_a.noconvert().none(),
               "weights"_a.noconvert().none(), "costs"_a.noconvert().none(), "n_labels"_a, nb::kw_only(),
               "max_depth"_a, "max_nodes"_a, "min_samples_leaf"_a, "branch_cost"_a, "time_limit"_a,
               "memory_limit"_a, "n_threads"_a, "work_limit"_a = std::numeric_limits<double>::infinity(),
               "switches"_a = nb::none(), "simd"_a = "auto", "poll"_a = nb::none());
}
