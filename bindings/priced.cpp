#include "priced.hpp"

#include <algorithm>

#include "priced/priced.hpp"

using namespace nb::literals;
using namespace binding;

namespace {

struct TechniqueName {
    const char* name;
    bool streed::priced::Techniques::* member;
};
constexpr TechniqueName kTechniques[] = {
    {"memo", &streed::priced::Techniques::memo},
    {"support", &streed::priced::Techniques::support},
    {"cancellation", &streed::priced::Techniques::cancellation},
    {"duplicates", &streed::priced::Techniques::duplicates},
    {"pair_bounds", &streed::priced::Techniques::pair_bounds},
    {"similarity", &streed::priced::Techniques::similarity},
    {"inheritance", &streed::priced::Techniques::inheritance},
    {"alternation", &streed::priced::Techniques::alternation},
    {"leaf_prices", &streed::priced::Techniques::leaf_prices},
    {"greedy", &streed::priced::Techniques::greedy},
};

streed::priced::Techniques make_techniques(const std::optional<nb::dict>& switches) {
    streed::priced::Techniques techniques;
    if (!switches) return techniques;
    for (const auto& [key, value] : *switches) {
        const std::string name = nb::cast<std::string>(nb::str(key));
        const auto* const found = std::find_if(
            std::begin(kTechniques), std::end(kTechniques),
            [&](const TechniqueName& entry) { return name == entry.name; });
        if (found == std::end(kTechniques)) refuse("unknown switch '" + name + "'");
        if (!nb::isinstance<nb::bool_>(value))
            throw nb::type_error(("switch '" + name + "' must be True or False").c_str());
        techniques.*(found->member) = nb::cast<bool>(value);
    }
    return techniques;
}

void check_rows(const streed::Problem& problem) {
    for (std::size_t r = 0; problem.labels != nullptr && r < problem.n_rows; ++r) {
        if (problem.labels[r] < 0 || problem.labels[r] >= problem.n_labels)
            refuse("labels must be from 0 to " + text(problem.n_labels - 1) + ", got " +
                   text(problem.labels[r]) + " in row " + text(r));
        if (!std::isfinite(problem.weights[r]) || problem.weights[r] <= 0)
            refuse("weights must be finite and positive, got " + text(problem.weights[r]) + " in row " +
                   text(r));
    }
    const double* const values = problem.labels != nullptr ? problem.weights : problem.costs;
    const std::size_t width = problem.labels != nullptr ? 1 : static_cast<std::size_t>(problem.n_labels);
    double total = 0;
    for (std::size_t k = 0; k < problem.n_rows * width; ++k) {
        if (!std::isfinite(values[k]))
            refuse("costs must be finite, got " + text(values[k]) + " in row " + text(k / width) +
                   ", column " + text(k % width));
        total += std::abs(values[k]);
    }
    if (total != 0 && !(total >= 1e-250 && total <= 1e250))
        refuse("the sum of the absolute values of costs or weights must be 0 or between 1e-250 and 1e250");
}

nb::dict to_dict(const streed::Result& result) {
    const streed::Statistics& s = result.statistics;
    nb::dict statistics;
    statistics["pair_tables"] = s.depth_two_solves;
    statistics["nodes"] = s.nodes;
    statistics["cache_hits"] = s.cache_hits;
    statistics["cache_entries"] = s.cache_entries;
    statistics["pruned_bound"] = s.pruned_bound;
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

// Either labels with weights, or costs.
nb::dict solve_priced(Input<std::uint8_t, 2> features, std::optional<Input<std::int32_t, 1>> labels,
                      std::optional<Input<double, 1>> weights, std::optional<Input<double, 2>> costs,
                      int n_labels, double branch_cost, int min_samples_leaf, double time_limit,
                      std::int64_t memory_limit, const std::optional<nb::dict>& switches,
                      const std::string& simd, nb::object poll) {
    if (costs.has_value() == labels.has_value() || labels.has_value() != weights.has_value())
        refuse("either labels and weights or costs must be given");
    if (costs) n_labels = static_cast<int>(costs->shape(1));
    streed::Options options = make_options(0, 0, min_samples_leaf, branch_cost, time_limit, memory_limit, 1,
                                           std::nullopt, simd);
    streed::Problem problem = make_problem(features, n_labels);
    for (const std::size_t rows :
         {labels ? labels->shape(0) : problem.n_rows, weights ? weights->shape(0) : problem.n_rows,
          costs ? costs->shape(0) : problem.n_rows})
        if (rows != problem.n_rows)
            refuse("features, labels, weights and costs must have the same number of rows, " +
                   text(problem.n_rows) + ", got " + text(rows));
    if (labels) {
        problem.labels = labels->data();
        problem.weights = weights->data();
    } else {
        problem.costs = costs->data();
    }
    check_rows(problem);
    const streed::priced::Techniques techniques = make_techniques(switches);
    const std::string reason = streed::priced::refusal(problem, options);
    if (!reason.empty()) refuse("priced nodes: " + reason);
    if (!poll.is_none() && !PyCallable_Check(poll.ptr()))
        throw nb::type_error("poll must be callable or None");
    Poll poller(poll);
    options.poll = [&poller](const streed::Progress& progress) { return poller(progress); };
    streed::Result result;
    {
        const nb::gil_scoped_release release;
        result = streed::priced::solve(problem, options, techniques);
    }
    if (poller.failure_) std::rethrow_exception(poller.failure_);
    return to_dict(result);
}

std::vector<std::string> priced_switch_names() {
    std::vector<std::string> names;
    for (const TechniqueName& entry : kTechniques) names.emplace_back(entry.name);
    return names;
}

}  // namespace

void register_priced(nb::module_& module) {
    module.def("solve_priced", &solve_priced, "features"_a.noconvert(), nb::kw_only(),
               "labels"_a.noconvert() = nb::none(), "weights"_a.noconvert() = nb::none(),
               "costs"_a.noconvert() = nb::none(), "n_labels"_a = 1, "branch_cost"_a,
               "min_samples_leaf"_a = 1, "time_limit"_a, "memory_limit"_a, "switches"_a = nb::none(),
               "simd"_a = "auto", "poll"_a = nb::none());
    module.def("priced_switch_names", &priced_switch_names);
}
