// A problem with one value, read from Python and checked: what its three leaf models take, and who keeps it.
#pragma once

#include <memory>
#include <utility>

#include "leaves/leaf_sums.hpp"
#include "options.hpp"
#include "python_leaf.hpp"
#include "result.hpp"

namespace binding {

// All that the engine only points to. A search may outlive the call that made it.
struct OneValueProblem {
    Input<std::uint8_t, 2> features;
    std::optional<Input<std::int32_t, 1>> labels;
    std::optional<Input<double, 1>> weights, least_row, worst_row;
    std::optional<Input<double, 2>> numbers;  // costs or statistics
    streed::Options options;
    nb::object poll;
    streed::Problem problem;
    streed::Prices prices;
    streed::LeafFunction leaf;
    std::unique_ptr<PythonLeaf> python;
    std::optional<PriceArrays> price_arrays;

    OneValueProblem(const Input<std::uint8_t, 2>& the_features, const SearchOptions& given, int n_labels)
        : features(the_features),
          options(given.engine()),
          poll(given.poll),
          problem(make_problem(features, n_labels)),
          price_arrays(given.prices) {
        if (price_arrays) problem.prices = &(prices = make_prices(*price_arrays, problem.n_features));
        const std::string& combination = given.combination;
        if (combination != "sum" && combination != "max")
            refuse("combination must be 'sum' or 'max', got '" + combination + "'");
        problem.maximum = combination == "max";
        if (problem.maximum && (given.limits.branch_cost != 0 || problem.prices != nullptr))
            refuse("branching must cost nothing where leaves are combined by max");
    }
    OneValueProblem(const OneValueProblem&) = delete;
    OneValueProblem& operator=(const OneValueProblem&) = delete;

    // Calls the engine; what goes wrong in a leaf function is raised as it is in Python.
    template <class Call>
    auto guarded(Call&& call) {
        try {
            return call();
        } catch (const streed::TaskFailure& failure) {
            if (python && python->failure_) std::rethrow_exception(python->failure_);
            raise_failure(failure);
        } catch (const streed::Interrupted&) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
            throw nb::python_error();
        }
    }
};

using GivenProblem = std::unique_ptr<OneValueProblem>;

inline GivenProblem read_labels(const Input<std::uint8_t, 2>& features, const Input<std::int32_t, 1>& labels,
                                const Input<double, 1>& weights, int n_labels, const nb::kwargs& kwargs) {
    const SearchOptions options = read_options(kwargs, kOneValue);
    if (labels.shape(0) != features.shape(0) || weights.shape(0) != features.shape(0))
        refuse("features, labels and weights must have the same number of rows, got " +
               text(features.shape(0)) + ", " + text(labels.shape(0)) + " and " + text(weights.shape(0)));
    auto given = std::make_unique<OneValueProblem>(features, options, n_labels);
    given->labels = labels;
    given->weights = weights;
    given->problem.labels = labels.data();
    given->problem.weights = weights.data();
    check_labels(given->problem);
    return given;
}

inline GivenProblem read_costs(const Input<std::uint8_t, 2>& features, const Input<double, 2>& costs,
                               const nb::kwargs& kwargs) {
    const SearchOptions options = read_options(kwargs, kOneValue);
    if (costs.shape(0) != features.shape(0))
        refuse("features and costs must have the same number of rows, got " + text(features.shape(0)) +
               " and " + text(costs.shape(0)));
    if (costs.shape(1) < 1 || costs.shape(1) > (1 << 16))
        refuse("costs must have from 1 to 2^16 columns, got " + text(costs.shape(1)));
    auto given = std::make_unique<OneValueProblem>(features, options, static_cast<int>(costs.shape(1)));
    given->numbers = costs;
    given->problem.costs = costs.data();
    check_sums("costs", costs.data(), given->problem.n_rows, costs.shape(1));
    return given;
}

inline GivenProblem read_function(const Input<std::uint8_t, 2>& features, const Input<double, 2>& statistics,
                                  const nb::object& function, int n_labels,
                                  const std::optional<Input<double, 1>>& least_row,
                                  const std::optional<Input<double, 1>>& worst_row, double parameter,
                                  const nb::kwargs& kwargs) {
    const SearchOptions options = read_options(kwargs, kOneValue);
    if (statistics.shape(0) != features.shape(0))
        refuse("features and statistics must have the same number of rows, got " + text(features.shape(0)) +
               " and " + text(statistics.shape(0)));
    if (statistics.shape(1) < 1 || statistics.shape(1) > 4096)
        refuse("statistics must have from 1 to 4096 columns, got " + text(statistics.shape(1)));
    auto given = std::make_unique<OneValueProblem>(features, options, n_labels);
    streed::Problem& problem = given->problem;
    check_sums("statistics", statistics.data(), problem.n_rows, statistics.shape(1));
    given->numbers = statistics;
    given->least_row = least_row;
    given->worst_row = worst_row;
    streed::LeafFunction& leaf = given->leaf;
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
    leaf.parameter = parameter;
    if (nb::isinstance<nb::str>(function))
        leaf.native = native_loss(nb::cast<std::string>(function), statistics.shape(1), n_labels, parameter,
                                  leaf.costs);
    else if (parameter != 0)
        refuse("parameter is for functions that are given by name");
    else
        leaf.costs = leaf_costs(function, statistics.shape(1), static_cast<std::size_t>(n_labels),
                                given->python);
    if (given->python) {
        leaf.clear_failure = [python = given->python.get()] {
            const nb::gil_scoped_acquire gil;
            python->failure_ = nullptr;
        };
    }
    problem.function = &leaf;
    return given;
}

constexpr StatisticName kOneValueStatistics[] = {
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

// One function per leaf model, which hand the checked problem to `use`.
template <auto use>
void register_one_value(nb::module_& module) {
    using namespace nb::literals;
    module.def(
        "solve",
        [](const Input<std::uint8_t, 2>& features, const Input<std::int32_t, 1>& labels,
           const Input<double, 1>& weights, int n_labels, const nb::kwargs& options) {
            return use(read_labels(features, labels, weights, n_labels, options));
        },
        "features"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(), "n_labels"_a, "options"_a);
    module.def(
        "solve_costs",
        [](const Input<std::uint8_t, 2>& features, const Input<double, 2>& costs, const nb::kwargs& options) {
            return use(read_costs(features, costs, options));
        },
        "features"_a.noconvert(), "costs"_a.noconvert(), "options"_a);
    module.def(
        "solve_function",
        [](const Input<std::uint8_t, 2>& features, const Input<double, 2>& statistics,
           const nb::object& function, int n_labels, const std::optional<Input<double, 1>>& least_row,
           const std::optional<Input<double, 1>>& worst_row, double parameter, const nb::kwargs& options) {
            return use(read_function(features, statistics, function, n_labels, least_row, worst_row,
                                     parameter, options));
        },
        "features"_a.noconvert(), "statistics"_a.noconvert(), "function"_a, "n_labels"_a, nb::kw_only(),
        "least_row"_a.noconvert() = nb::none(), "worst_row"_a.noconvert() = nb::none(), "parameter"_a = 0.0,
        "options"_a);
}

}  // namespace binding
