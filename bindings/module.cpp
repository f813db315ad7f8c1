// The native module: translates between NumPy and the engine, decides nothing.
#include <algorithm>
#include <iterator>
#include <tuple>

#include "front.hpp"
#include "options.hpp"
#include "many.hpp"
#include "priced.hpp"
#include "python_leaf.hpp"
#include "result.hpp"
#include "sizes/sizes.hpp"
#include "subproblems.hpp"
#include "thresholds.hpp"
#include "tree.hpp"

using namespace nb::literals;
using namespace binding;

namespace {

// What branching costs, and how leaves are put together: by the sum of their costs, or by the largest one.
void set_prices(const SearchOptions& given, streed::Problem& problem, streed::Prices& prices) {
    if (given.prices) problem.prices = &(prices = make_prices(*given.prices, problem.n_features));
    const std::string& combination = given.combination;
    if (combination != "sum" && combination != "max")
        refuse("combination must be 'sum' or 'max', got '" + combination + "'");
    problem.maximum = combination == "max";
    if (problem.maximum && (given.limits.branch_cost != 0 || problem.prices != nullptr))
        refuse("branching must cost nothing where leaves are combined by max");
}

constexpr StatisticName kStatistics[] = {
    {"depth_two_solves", &streed::Statistics::depth_two_solves},
    {"tables_counted", &streed::Statistics::tables_counted},
    {"nodes", &streed::Statistics::nodes},
    {"cache_hits", &streed::Statistics::cache_hits},
    {"cache_entries", &streed::Statistics::cache_entries},
    {"pruned_bound", &streed::Statistics::pruned_bound},
    {"pruned_similarity", &streed::Statistics::pruned_similarity},
    {"peak_memory", &streed::Statistics::peak_memory},
    {"rows_merged", &streed::Statistics::rows_merged},
    {"features_kept", &streed::Statistics::features_kept},
    {"threads", &streed::Statistics::threads},
};

nb::dict sizes_dict(const streed::SizesResult& result) {
    nb::list trees, bounds;
    for (const streed::SizedTree& each : result.trees)
        trees.append(tree_dict(each.tree, each.objective, each.magnitude));
    for (const double bound : result.lower_bound) bounds.append(bound);
    nb::dict out;
    out["trees"] = trees;
    out["lower_bounds"] = bounds;
    set_end(out, result, kStatistics);
    return out;
}

// What a binding does with a checked problem: search one tree, or one for every number of branching nodes.
using Run = nb::dict (*)(const streed::Problem&, streed::Options&, const nb::object&);

nb::dict run_sizes(const streed::Problem& problem, streed::Options& options, const nb::object& callback) {
    if (options.max_nodes > streed::kMostSizes || problem.maximum)
        refuse("sizes are searched up to " + text(streed::kMostSizes) + " nodes, for sums of costs; got " +
               text(options.max_nodes) + " nodes" + (problem.maximum ? " and a maximum" : ""));
    return sizes_dict(run_polled(options, callback, [&] { return streed::solve_sizes(problem, options); }));
}

nb::dict run_one(const streed::Problem& problem, streed::Options& options, const nb::object& callback) {
    return result_dict(run_polled(options, callback, [&] { return streed::solve(problem, options); }),
                       kStatistics);
}

template <Run run>
nb::dict solve(Input<std::uint8_t, 2> features, Input<std::int32_t, 1> labels, Input<double, 1> weights,
               int n_labels, const nb::kwargs& kwargs) {
    const SearchOptions given = read_options(kwargs, kOneValue);
    if (labels.shape(0) != features.shape(0) || weights.shape(0) != features.shape(0))
        refuse("features, labels and weights must have the same number of rows, got " +
               text(features.shape(0)) + ", " + text(labels.shape(0)) + " and " + text(weights.shape(0)));
    streed::Options options = given.engine();
    streed::Problem problem = make_problem(features, n_labels);
    problem.labels = labels.data();
    problem.weights = weights.data();
    check_labels(problem);
    streed::Prices prices;
    set_prices(given, problem, prices);
    return run(problem, options, given.poll);
}

template <Run run>
nb::dict solve_costs(Input<std::uint8_t, 2> features, Input<double, 2> costs, const nb::kwargs& kwargs) {
    const SearchOptions given = read_options(kwargs, kOneValue);
    if (costs.shape(0) != features.shape(0))
        refuse("features and costs must have the same number of rows, got " + text(features.shape(0)) +
               " and " + text(costs.shape(0)));
    if (costs.shape(1) < 1 || costs.shape(1) > (1 << 16))
        refuse("costs must have from 1 to 2^16 columns, got " + text(costs.shape(1)));
    streed::Options options = given.engine();
    streed::Problem problem = make_problem(features, static_cast<int>(costs.shape(1)));
    problem.costs = costs.data();
    check_sums("costs", costs.data(), problem.n_rows, costs.shape(1));
    streed::Prices prices;
    set_prices(given, problem, prices);
    return run(problem, options, given.poll);
}

template <Run run>
nb::dict solve_function(Input<std::uint8_t, 2> features, Input<double, 2> statistics, nb::object function,
                        int n_labels, const std::optional<Input<double, 1>>& least_row,
                        const std::optional<Input<double, 1>>& worst_row, double parameter,
                        const nb::kwargs& kwargs) {
    const SearchOptions given = read_options(kwargs, kOneValue);
    if (statistics.shape(0) != features.shape(0))
        refuse("features and statistics must have the same number of rows, got " + text(features.shape(0)) +
               " and " + text(statistics.shape(0)));
    if (statistics.shape(1) < 1 || statistics.shape(1) > 4096)
        refuse("statistics must have from 1 to 4096 columns, got " + text(statistics.shape(1)));
    streed::Options options = given.engine();
    streed::Problem problem = make_problem(features, n_labels);
    check_sums("statistics", statistics.data(), problem.n_rows, statistics.shape(1));
    streed::LeafFunction leaf;
    leaf.statistics = statistics.data();
    leaf.n_statistics = static_cast<int>(statistics.shape(1));
    for (const auto* bound : {&least_row, &worst_row}) {
        if (!*bound) continue;
        const char* name = bound == &least_row ? "least_row" : "worst_row";
        if ((*bound)->shape(0) != problem.n_rows)
            refuse(std::string(name) + " must have one entry per row, " + text(problem.n_rows) + ", got " +
                   text((*bound)->shape(0)));
        check_sums(name, (*bound)->data(), problem.n_rows, 1);
        (bound == &least_row ? leaf.least : leaf.worst) = (*bound)->data();
    }
    std::unique_ptr<PythonLeaf> python;
    leaf.parameter = parameter;
    if (nb::isinstance<nb::str>(function))
        leaf.native = native_loss(nb::cast<std::string>(function), statistics.shape(1), n_labels, parameter,
                                  leaf.costs);
    else if (parameter != 0)
        refuse("parameter is for functions that are given by name");
    else
        leaf.costs = leaf_costs(function, statistics.shape(1), static_cast<std::size_t>(n_labels), python);
    if (python) {
        leaf.clear_failure = [&python] {
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

template <Run run>
void register_one_value(nb::module_& module) {
    module.def("solve", &solve<run>, "features"_a.noconvert(), "labels"_a.noconvert(),
               "weights"_a.noconvert(), "n_labels"_a, "options"_a);
    module.def("solve_costs", &solve_costs<run>, "features"_a.noconvert(), "costs"_a.noconvert(),
               "options"_a);
    module.def("solve_function", &solve_function<run>, "features"_a.noconvert(), "statistics"_a.noconvert(),
               "function"_a, "n_labels"_a, nb::kw_only(), "least_row"_a.noconvert() = nb::none(),
               "worst_row"_a.noconvert() = nb::none(), "parameter"_a = 0.0, "options"_a);
}

std::vector<std::string> switch_names() {
    std::vector<std::string> names;
    for (const SwitchName& entry : kSwitches) names.emplace_back(entry.name);
    return names;
}

}  // namespace

NB_MODULE(_core, module) {
    nb::exception<streed::TaskFailure>(module, "TaskFailure", PyExc_RuntimeError);
    register_one_value<run_one>(module);
    nb::module_ sizes = module.def_submodule("sizes",
                                             "The best tree of every size; functions as in the module.");
    sizes.attr("TaskFailure") = module.attr("TaskFailure");
    register_one_value<run_sizes>(sizes);
    register_front(module);
    register_many(module);
    register_priced(module);
    register_subproblems(module);
    register_thresholds(module);
    register_tree(module);
    module.def("simd_levels", &streed::simd_levels);
    module.def("options", &options_table);
    module.def("switch_names", &switch_names);
}
