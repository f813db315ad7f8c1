// The search over all thresholds of columns that are given as ranks.
#include "thresholds.hpp"

#include <memory>
#include <utility>

#include "data/ranks.hpp"
#include "greedy/grow.hpp"
#include "options.hpp"
#include "result.hpp"
#include "thresholds/models/models.hpp"
#include "thresholds/search/remote.hpp"

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

std::vector<std::int32_t> of_splits(const std::vector<Split>& splits, std::int32_t Split::* member) {
    std::vector<std::int32_t> values;
    for (const Split& split : splits) values.push_back(split.*member);
    return values;
}

constexpr StatisticName kStatistics[] = {
    {"depth_two_solves", &streed::Statistics::depth_two_solves},
    {"nodes", &streed::Statistics::nodes},
    {"cache_hits", &streed::Statistics::cache_hits},
    {"cache_entries", &streed::Statistics::cache_entries},
    {"peak_memory", &streed::Statistics::peak_memory},
    {"rows_kept", &streed::Statistics::rows_merged},
    {"columns_kept", &streed::Statistics::features_kept},
    {"threads", &streed::Statistics::threads},
};

void set_splits(nb::dict& out, const std::vector<Split>& splits) {
    std::vector<std::uint8_t> missing;
    for (const Split& split : splits) missing.push_back(split.missing_right ? 1 : 0);
    out["column"] = as_array(of_splits(splits, &Split::column));
    out["rank"] = as_array(of_splits(splits, &Split::rank));
    out["next_rank"] = as_array(of_splits(splits, &Split::next));
    out["missing_right"] = as_array(std::move(missing));
}

nb::dict to_dict(const streed::thresholds::Result& result) {
    nb::dict out = result_dict(result, kStatistics);
    set_splits(out, result.splits);
    if (result.work_limit) out["status"] = "work_limit";
    out["work"] = result.work;
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
        problem.model = &streed::thresholds::costs_model();
        problem.numbers = costs->data();
        problem.n_numbers = costs->shape(1);
        return check_sums("costs", problem.numbers, problem.n_rows, problem.n_numbers);
    }
    if (labels->shape(0) != problem.n_rows || weights->shape(0) != problem.n_rows)
        refuse("ranks, labels and weights must have the same number of rows, got " + text(problem.n_rows) +
               ", " + text(labels->shape(0)) + " and " + text(weights->shape(0)));
    problem.model = &streed::thresholds::labels_model();
    problem.labels = labels->data();
    problem.weights = weights->data();
    check_labels(problem);
}

// Rows with the numbers of a row model.
void set_numbers(Problem& problem, const std::string& name, const Input<double, 2>& numbers) {
    std::string known;
    for (const streed::thresholds::NamedModel& each : streed::thresholds::kNamedModels) {
        known += std::string(known.empty() ? "'" : ", '") + each.name + "'";
        if (name != each.name) continue;
        const std::size_t width = each.n_numbers > 0 ? each.n_numbers
                                                     : static_cast<std::size_t>(problem.n_labels);
        if (numbers.shape(0) != problem.n_rows || numbers.shape(1) != width)
            refuse("numbers must have shape (" + text(problem.n_rows) + ", " + text(width) + "), got (" +
                   text(numbers.shape(0)) + ", " + text(numbers.shape(1)) + ")");
        problem.model = &each.model();
        problem.numbers = numbers.data();
        problem.n_numbers = width;
        check_sums("numbers", problem.numbers, problem.n_rows, width);
        for (std::size_t row = 0; each.weighted && row < problem.n_rows; ++row)
            if (!(problem.numbers[width * row] > 0))
                refuse("weights of rows must be positive, got " + text(problem.numbers[width * row]) +
                       " in row " + text(row));
        return;
    }
    refuse("the row model must be one of " + known + ", got '" + name + "'");
}

Problem make_problem(const Input<std::int32_t, 2>& ranks, int n_labels) {
    if (n_labels < 1 || n_labels > (1 << 24))
        refuse("n_labels must be from 1 to 2^24, got " + text(n_labels));
    Problem problem;
    problem.ranks = ranks.data();
    problem.n_columns = ranks.shape(0);
    problem.n_rows = ranks.shape(1);
    problem.n_labels = n_labels;
    check_ranks(problem);
    return problem;
}

// A problem with the arrays that it points to: an evaluator outlives the call that makes it.
struct ThresholdProblem {
    Input<std::int32_t, 2> ranks;
    std::optional<Input<std::int32_t, 1>> labels;
    std::optional<Input<double, 1>> weights;
    std::optional<Input<double, 2>> numbers;
    SearchOptions given;
    streed::Options options;
    Problem problem;
};
using Given = std::unique_ptr<ThresholdProblem>;

Given read_rows(const Input<std::int32_t, 2>& ranks, const std::optional<Input<std::int32_t, 1>>& labels,
                const std::optional<Input<double, 1>>& weights, const std::optional<Input<double, 2>>& costs,
                int n_labels, const nb::kwargs& kwargs) {
    const SearchOptions given = read_options(kwargs, kThresholds);
    auto out = std::make_unique<ThresholdProblem>(ThresholdProblem{
        ranks, labels, weights, costs, given, given.engine(), make_problem(ranks, n_labels)});
    set_rows(out->problem, labels, weights, costs);
    return out;
}

Given read_numbers(const Input<std::int32_t, 2>& ranks, const std::string& model,
                   const Input<double, 2>& numbers, int n_labels, const nb::kwargs& kwargs) {
    const SearchOptions given = read_options(kwargs, kThresholds);
    auto out = std::make_unique<ThresholdProblem>(
        ThresholdProblem{ranks, {}, {}, numbers, given, given.engine(), make_problem(ranks, n_labels)});
    set_numbers(out->problem, model, numbers);
    return out;
}

using Int64Array = nb::ndarray<const std::int64_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Asks a function of Python to evaluate thresholds: None is "not yet", an empty array "do it yourself". Its
// exceptions are raised after the search, which `poll` must end then.
class PythonHelper {
public:
    explicit PythonHelper(nb::object function) : function_(std::move(function)) {}

    bool operator()(const std::vector<std::int64_t>& batch, std::vector<std::int64_t>& answers) {
        const nb::gil_scoped_acquire gil;
        if (failure_) return false;
        try {
            const nb::object told = function_(as_array(std::vector<std::int64_t>(batch)));
            if (told.is_none()) return false;
            const auto numbers = nb::cast<Int64Array>(told);
            answers.assign(numbers.data(), numbers.data() + numbers.size());
            return true;
        } catch (...) {
            failure_ = std::current_exception();
            return false;
        }
    }

    std::exception_ptr failure_;

private:
    nb::object function_;
};

nb::dict solve_given(const Given& given, const nb::object& function) {
    PythonHelper helper(function);
    streed::thresholds::Effort effort{given->given.work_limit, given->given.first_attempt, {}};
    if (!function.is_none())
        effort.helper = [&helper](const auto& batch, auto& answers) { return helper(batch, answers); };
    const auto result = run_polled(given->options, given->given.poll, [&] {
        return streed::thresholds::solve(given->problem, given->options, effort);
    });
    if (helper.failure_) std::rethrow_exception(helper.failure_);
    return to_dict(result);
}

nb::dict solve_thresholds(const Input<std::int32_t, 2>& ranks,
                          const std::optional<Input<std::int32_t, 1>>& labels,
                          const std::optional<Input<double, 1>>& weights,
                          const std::optional<Input<double, 2>>& costs, int n_labels,
                          const nb::object& helper, const nb::kwargs& kwargs) {
    return solve_given(read_rows(ranks, labels, weights, costs, n_labels, kwargs), helper);
}

nb::dict solve_threshold_numbers(const Input<std::int32_t, 2>& ranks, const std::string& model,
                                 const Input<double, 2>& numbers, int n_labels, const nb::object& helper,
                                 const nb::kwargs& kwargs) {
    return solve_given(read_numbers(ranks, model, numbers, n_labels, kwargs), helper);
}

// Evaluates thresholds for the search of another process.
class RootEvaluator {
public:
    explicit RootEvaluator(Given given) : given_(std::move(given)) {
        const nb::gil_scoped_release release;
        evaluator_ = std::make_unique<streed::thresholds::RootEvaluator>(given_->problem, given_->options);
    }

    nb::object evaluate(const Int64Array& batch, const nb::object& poll) {
        const std::vector<std::int64_t> asked(batch.data(), batch.data() + batch.size());
        std::vector<std::int64_t> answers;
        const bool done = run_polled(given_->options, poll,
                                     [&] { return evaluator_->evaluate(asked, answers); });
        return done ? as_array(std::move(answers)) : nb::none();
    }

private:
    Given given_;
    std::unique_ptr<streed::thresholds::RootEvaluator> evaluator_;
};

streed::greedy::Criterion criterion_of(const std::string& name) {
    if (name == "gini") return streed::greedy::Criterion::gini;
    if (name == "entropy") return streed::greedy::Criterion::entropy;
    if (name == "squares") return streed::greedy::Criterion::squares;
    refuse("criterion must be 'gini', 'entropy' or 'squares', got '" + name + "'");
}

// A greedy tree: rows have a label (gini, entropy) or targets (squares), and a weight.
nb::dict grow_greedy(Input<std::int32_t, 2> ranks, const std::optional<Input<std::uint8_t, 2>>& bits,
                     const std::optional<Input<std::int32_t, 1>>& labels,
                     const std::optional<Input<double, 2>>& targets, Input<double, 1> weights, int n_labels,
                     const std::string& criterion, int max_depth, int max_nodes,
                     std::int64_t min_samples_leaf, double time_limit) {
    Problem problem;
    problem.ranks = ranks.data();
    problem.n_columns = ranks.shape(0);
    problem.n_rows = ranks.shape(1);
    problem.n_labels = n_labels;
    check_ranks(problem);
    const streed::greedy::Criterion chosen = criterion_of(criterion);
    const bool counts = chosen != streed::greedy::Criterion::squares;
    if (counts ? !labels || targets : labels || !targets)
        refuse("give labels for 'gini' and 'entropy', targets for 'squares'");
    const std::size_t given = counts ? labels->shape(0) : targets->shape(0);
    if (given != problem.n_rows || weights.shape(0) != problem.n_rows)
        refuse("ranks, labels or targets, and weights must have the same number of rows, got " +
               text(problem.n_rows) + ", " + text(given) + " and " + text(weights.shape(0)));
    if (max_depth < 0 || max_nodes < 0 || min_samples_leaf < 1)
        refuse("limits must not be negative, and min_samples_leaf at least 1");
    problem.weights = weights.data();
    if (counts) {
        problem.labels = labels->data();
        check_labels(problem);
    }
    if (bits && bits->shape(0) != problem.n_rows)
        refuse("ranks and bits must have the same number of rows, got " + text(problem.n_rows) + " and " +
               text(bits->shape(0)));
    streed::greedy::Rows rows;
    rows.ranks = problem.ranks;
    rows.n_rows = problem.n_rows;
    rows.n_columns = problem.n_columns;
    if (bits) rows.bits = bits->data();
    if (bits) rows.n_bits = bits->shape(1);
    rows.labels = problem.labels;
    rows.n_labels = n_labels;
    if (!counts) rows.targets = targets->data();
    if (!counts) rows.n_targets = targets->shape(1);
    rows.weights = weights.data();
    const streed::greedy::Grown grown = streed::greedy::grow(
        rows, chosen, {max_depth, max_nodes, static_cast<std::size_t>(min_samples_leaf), time_limit});
    nb::dict out;
    out["feature"] = as_array(grown.feature);
    out["left"] = as_array(grown.left);
    out["right"] = as_array(grown.right);
    set_splits(out, grown.splits);
    return out;
}

// Columns of shape (columns, rows); returns their ranks, and the distinct values of all with their ends.
nb::tuple rank_columns(const Input<double, 2>& columns) {
    if (columns.shape(1) >= (1ull << 31)) refuse("columns: more than 2^31 rows");
    streed::Ranked ranked = streed::rank_columns(columns.data(), columns.shape(0), columns.shape(1));
    return nb::make_tuple(as_array(std::move(ranked.ranks), {columns.shape(0), columns.shape(1)}),
                          as_array(std::move(ranked.values)), as_array(std::move(ranked.ends)));
}

}  // namespace

void register_thresholds(nb::module_& module) {
    module.def("rank_columns", &rank_columns, "columns"_a.noconvert());
    module.def("grow_greedy", &grow_greedy, "ranks"_a.noconvert(), "bits"_a.noconvert().none(),
               "labels"_a.noconvert().none(), "targets"_a.noconvert().none(), "weights"_a.noconvert(),
               "n_labels"_a, "criterion"_a, "max_depth"_a, "max_nodes"_a, "min_samples_leaf"_a,
               "time_limit"_a);
    module.def("solve_thresholds", &solve_thresholds, "ranks"_a.noconvert(), "labels"_a.noconvert().none(),
               "weights"_a.noconvert().none(), "costs"_a.noconvert().none(), "n_labels"_a, nb::kw_only(),
               "helper"_a = nb::none(), "options"_a);
    module.def("solve_threshold_numbers", &solve_threshold_numbers, "ranks"_a.noconvert(), "model"_a,
               "numbers"_a.noconvert(), "n_labels"_a, nb::kw_only(), "helper"_a = nb::none(), "options"_a);
}

void register_threshold_evaluator(nb::module_& shared) {
    nb::class_<RootEvaluator>(shared, "RootEvaluator")
        .def("evaluate", &RootEvaluator::evaluate, "batch"_a, "poll"_a = nb::none());
    shared.def(
        "thresholds",
        [](const Input<std::int32_t, 2>& ranks, const std::optional<Input<std::int32_t, 1>>& labels,
           const std::optional<Input<double, 1>>& weights, const std::optional<Input<double, 2>>& costs,
           int n_labels, const nb::kwargs& options) {
            return new RootEvaluator(read_rows(ranks, labels, weights, costs, n_labels, options));
        },
        "ranks"_a.noconvert(), "labels"_a.noconvert().none(), "weights"_a.noconvert().none(),
        "costs"_a.noconvert().none(), "n_labels"_a, "options"_a);
    shared.def(
        "threshold_numbers",
        [](const Input<std::int32_t, 2>& ranks, const std::string& model, const Input<double, 2>& numbers,
           int n_labels, const nb::kwargs& options) {
            return new RootEvaluator(read_numbers(ranks, model, numbers, n_labels, options));
        },
        "ranks"_a.noconvert(), "model"_a, "numbers"_a.noconvert(), "n_labels"_a, "options"_a);
}
