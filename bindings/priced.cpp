// The search for priced nodes: translates between NumPy and the engine, decides nothing.
#include "priced.hpp"

#include <algorithm>
#include <utility>

#include "options.hpp"
#include "priced/priced.hpp"
#include "result.hpp"

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
    {"missing_leaf", &streed::priced::Techniques::missing_leaf},
    {"preview", &streed::priced::Techniques::preview},
    {"alternation", &streed::priced::Techniques::alternation},
    {"leaf_prices", &streed::priced::Techniques::leaf_prices},
    {"early_prices", &streed::priced::Techniques::early_prices},
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

constexpr StatisticName kStatistics[] = {
    {"pair_tables", &streed::Statistics::depth_two_solves},
    {"nodes", &streed::Statistics::nodes},
    {"cache_hits", &streed::Statistics::cache_hits},
    {"cache_entries", &streed::Statistics::cache_entries},
    {"pruned_bound", &streed::Statistics::pruned_bound},
    {"certificates", &streed::Statistics::certificates},
    {"peak_memory", &streed::Statistics::peak_memory},
    {"rows_merged", &streed::Statistics::rows_merged},
    {"features_kept", &streed::Statistics::features_kept},
    {"threads", &streed::Statistics::threads},
};

// Either labels with weights, or costs.
nb::dict solve_priced(Input<std::uint8_t, 2> features, std::optional<Input<std::int32_t, 1>> labels,
                      std::optional<Input<double, 1>> weights, std::optional<Input<double, 2>> costs,
                      int n_labels, const nb::kwargs& kwargs) {
    SearchOptions given = read_options(kwargs, kPriced);
    const streed::priced::Techniques techniques = make_techniques(
        std::exchange(given.switches, std::nullopt));
    if (costs.has_value() == labels.has_value() || labels.has_value() != weights.has_value())
        refuse("either labels and weights or costs must be given");
    if (costs) n_labels = static_cast<int>(costs->shape(1));
    streed::Options options = given.engine();
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
        check_labels(problem);
    } else {
        problem.costs = costs->data();
        check_sums("costs", costs->data(), problem.n_rows, costs->shape(1));
    }
    const std::string reason = streed::priced::refusal(problem, options);
    if (!reason.empty()) refuse("priced nodes: " + reason);
    return result_dict(
        run_polled(options, given.poll, [&] { return streed::priced::solve(problem, options, techniques); }),
        kStatistics);
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
               "costs"_a.noconvert() = nb::none(), "n_labels"_a = 1, "options"_a);
    module.def("priced_switch_names", &priced_switch_names);
}
