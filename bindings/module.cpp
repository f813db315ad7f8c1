// The native module: translates between NumPy and the engine, decides nothing.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

#include "front.hpp"
#include "options.hpp"
#include "priced.hpp"
#include "python_leaf.hpp"
#include "thresholds.hpp"
#include "tree.hpp"

using namespace nb::literals;
using namespace binding;

namespace {

void check_labels(const streed::Problem& problem) {
    double total = 0;
    for (std::size_t r = 0; r < problem.n_rows; ++r) {
        total += problem.weights[r];
        if (problem.labels[r] < 0 || problem.labels[r] >= problem.n_labels) refuse("labels must be from 0 to " + text(problem.n_labels - 1) + ", got " + text(problem.labels[r]) + " in row " + text(r));
        if (!std::isfinite(problem.weights[r]) || problem.weights[r] <= 0) refuse("weights must be finite and positive, got " + text(problem.weights[r]) + " in row " + text(r));
    }
    if (!(total >= 1e-250 && total <= 1e250)) refuse("the sum of the weights must be between 1e-250 and 1e250");
}

// The sum of the absolute values, in eight parts that do not wait for each other; not finite if any value is not.
double absolute_sum(const double* values, std::size_t n) {
    double part[8] = {};
    std::size_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (std::size_t lane = 0; lane < 8; ++lane) part[lane] += std::abs(values[k + lane]);
    for (; k < n; ++k) part[0] += std::abs(values[k]);
    return std::accumulate(std::begin(part), std::end(part), 0.0);
}

// Numbers that are added up: finite, and with a sum that leaves room for the search.
void check_sums(const char* name, const double* values, std::size_t n_rows, std::size_t width) {
    const double total = absolute_sum(values, n_rows * width);
    for (std::size_t k = 0; !std::isfinite(total) && k < n_rows * width; ++k)
        if (!std::isfinite(values[k])) refuse(std::string(name) + " must be finite, got " + text(values[k]) + " in row " + text(k / width) + ", column " + text(k % width));
    if (total != 0 && !(total >= 1e-250 && total <= 1e250)) refuse(std::string("the sum of the absolute values of ") + name + " must be 0 or between 1e-250 and 1e250");
}

// What branching costs, and how leaves are put together: by the sum of their costs, or by the largest one.
void set_prices(const SearchOptions& given, streed::Problem& problem, streed::Prices& prices) {
    if (given.prices) problem.prices = &(prices = make_prices(*given.prices, problem.n_features));
    const std::string& combination = given.combination;
    if (combination != "sum" && combination != "max") refuse("combination must be 'sum' or 'max', got '" + combination + "'");
    problem.maximum = combination == "max";
    if (problem.maximum && (given.branch_cost != 0 || problem.prices != nullptr)) refuse("branching must cost nothing where leaves are combined by max");
}

nb::dict to_dict(const streed::Result& result) {
    const streed::Statistics& s = result.statistics;
    nb::dict statistics;
    statistics["depth_two_solves"] = s.depth_two_solves;
    statistics["tables_counted"] = s.tables_counted;
    statistics["nodes"] = s.nodes;
    statistics["cache_hits"] = s.cache_hits;
    statistics["cache_entries"] = s.cache_entries;
    statistics["pruned_bound"] = s.pruned_bound;
    statistics["pruned_similarity"] = s.pruned_similarity;
    statistics["peak_memory"] = s.peak_memory;
    statistics["rows_merged"] = s.rows_merged;
    statistics["features_kept"] = s.features_kept;
    statistics["threads"] = s.threads;
    nb::dict out;
    out["feature"] = int_array(result.tree, &streed::TreeNode::feature);
    out["left"] = int_array(result.tree, &streed::TreeNode::left);
    out["right"] = int_array(result.tree, &streed::TreeNode::right);
    out["label"] = int_array(result.tree, &streed::TreeNode::label);
    out["objective"] = result.objective;
    out["lower_bound"] = result.lower_bound;
    out["magnitude"] = result.magnitude;
    out["optimal"] = result.status == streed::Status::optimal;
    out["status"] = status_name(result.status);
    out["seconds"] = result.seconds;
    out["statistics"] = statistics;
    return out;
}

nb::dict run(const streed::Problem& problem, streed::Options& options, const nb::object& callback) {
    Poll poller(callback);
    options.poll = [&poller](const streed::Progress& progress) { return poller(progress); };
    streed::Result result;
    {
        const nb::gil_scoped_release release;
        result = streed::solve(problem, options);
    }
    if (poller.failure_) std::rethrow_exception(poller.failure_);
    return to_dict(result);
}

nb::dict solve(Input<std::uint8_t, 2> features, Input<std::int32_t, 1> labels, Input<double, 1> weights, int n_labels,
               const nb::kwargs& kwargs) {
    const SearchOptions given = read_options(kwargs, true);
    if (labels.shape(0) != features.shape(0) || weights.shape(0) != features.shape(0))
        refuse("features, labels and weights must have the same number of rows, got " + text(features.shape(0)) + ", " +
               text(labels.shape(0)) + " and " + text(weights.shape(0)));
    streed::Options options = given.engine();
    streed::Problem problem = make_problem(features, n_labels);
    problem.labels = labels.data();
    problem.weights = weights.data();
    check_labels(problem);
    streed::Prices prices;
    set_prices(given, problem, prices);
    return run(problem, options, given.poll);
}

nb::dict solve_costs(Input<std::uint8_t, 2> features, Input<double, 2> costs, const nb::kwargs& kwargs) {
    const SearchOptions given = read_options(kwargs, true);
    if (costs.shape(0) != features.shape(0))
        refuse("features and costs must have the same number of rows, got " + text(features.shape(0)) + " and " + text(costs.shape(0)));
    if (costs.shape(1) < 1 || costs.shape(1) > (1 << 16)) refuse("costs must have from 1 to 2^16 columns, got " + text(costs.shape(1)));
    streed::Options options = given.engine();
    streed::Problem problem = make_problem(features, static_cast<int>(costs.shape(1)));
    problem.costs = costs.data();
    check_sums("costs", costs.data(), problem.n_rows, costs.shape(1));
    streed::Prices prices;
    set_prices(given, problem, prices);
    return run(problem, options, given.poll);
}

nb::dict solve_function(Input<std::uint8_t, 2> features, Input<double, 2> statistics, nb::object function, int n_labels,
                        const std::optional<Input<double, 1>>& least_row, const std::optional<Input<double, 1>>& worst_row,
                        const nb::kwargs& kwargs) {
    const SearchOptions given = read_options(kwargs, true);
    if (statistics.shape(0) != features.shape(0))
        refuse("features and statistics must have the same number of rows, got " + text(features.shape(0)) + " and " + text(statistics.shape(0)));
    if (statistics.shape(1) < 1 || statistics.shape(1) > 4096) refuse("statistics must have from 1 to 4096 columns, got " + text(statistics.shape(1)));
    streed::Options options = given.engine();
    streed::Problem problem = make_problem(features, n_labels);
    check_sums("statistics", statistics.data(), problem.n_rows, statistics.shape(1));
    streed::LeafFunction leaf;
    leaf.statistics = statistics.data();
    leaf.n_statistics = static_cast<int>(statistics.shape(1));
    for (const auto* bound : {&least_row, &worst_row}) {
        if (!*bound) continue;
        const char* name = bound == &least_row ? "least_row" : "worst_row";
        if ((*bound)->shape(0) != problem.n_rows) refuse(std::string(name) + " must have one entry per row, " + text(problem.n_rows) + ", got " + text((*bound)->shape(0)));
        check_sums(name, (*bound)->data(), problem.n_rows, 1);
        (bound == &least_row ? leaf.least : leaf.worst) = (*bound)->data();
    }
    std::unique_ptr<PythonLeaf> python;
    if (nb::isinstance<nb::str>(function))
        leaf.native = native_form(nb::cast<std::string>(function), statistics.shape(1), n_labels, leaf.costs);
    else
        leaf.costs = leaf_costs(function, statistics.shape(1), static_cast<std::size_t>(n_labels), python);
    if (python) {
        leaf.forgive = [&python] {
            const nb::gil_scoped_acquire gil;
            python->failure_ = nullptr;
        };
    }
    problem.function = &leaf;
    streed::Prices prices;
    set_prices(given, problem, prices);
    try {
        return run(problem, options, given.poll);
    } catch (const streed::TaskFailure& failure) {
        if (python && python->failure_) std::rethrow_exception(python->failure_);
        raise_failure(failure);
    } catch (const streed::Interrupted&) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nb::python_error();
    }
}

std::vector<std::string> switch_names() {
    std::vector<std::string> names;
    for (const SwitchName& entry : kSwitches) names.emplace_back(entry.name);
    return names;
}

}  // namespace

NB_MODULE(_core, module) {
    nb::exception<streed::TaskFailure>(module, "TaskFailure", PyExc_RuntimeError);
    module.def("solve", &solve, "features"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(), "n_labels"_a,
               "options"_a);
    module.def("solve_costs", &solve_costs, "features"_a.noconvert(), "costs"_a.noconvert(), "options"_a);
    module.def("solve_function", &solve_function, "features"_a.noconvert(), "statistics"_a.noconvert(), "function"_a,
               "n_labels"_a, nb::kw_only(), "least_row"_a.noconvert() = nb::none(),
               "worst_row"_a.noconvert() = nb::none(), "options"_a);
    register_front(module);
    register_priced(module);
    register_thresholds(module);
    register_tree(module);
    module.def("simd_levels", &streed::simd_levels);
    module.def("switch_names", &switch_names);
}
