// Columns in bins of one byte, and the search for a good tree over them.
#include "many.hpp"

#include "data/bins.hpp"
#include "options.hpp"
#include "thresholds/many/many.hpp"

using namespace nb::literals;
using namespace binding;

namespace {

namespace many = streed::thresholds::many;

constexpr int kMostDepth = 6, kMostLabels = 64;  // nodes and sums have small tables

// The bins of a column of numbers: codes, the values between bins, whether some are missing, and whether no
// two numbers of a bin differ.
nb::tuple bin_column(const Input<double, 1>& values) {
    streed::Binned binned = streed::bin_column(values.data(), values.shape(0));
    const bool missing = binned.missing, exact = binned.exact;
    return nb::make_tuple(as_array(std::move(binned.codes)), as_array(std::move(binned.edges)), missing,
                          exact);
}

void set_rows(many::Problem& problem, const std::optional<Input<std::int32_t, 1>>& labels,
              const std::optional<Input<double, 1>>& weights, const std::optional<Input<double, 2>>& costs) {
    if (costs ? labels || weights : !labels || !weights) refuse("give either labels and weights, or costs");
    const std::size_t n = problem.n_rows, width = static_cast<std::size_t>(problem.n_labels);
    if (costs) {
        if (costs->shape(0) != n || costs->shape(1) != width)
            refuse("costs must have shape (" + text(n) + ", " + text(width) + "), got (" +
                   text(costs->shape(0)) + ", " + text(costs->shape(1)) + ")");
        problem.costs = costs->data();
        return check_sums("costs", problem.costs, n, width);
    }
    if (labels->shape(0) != n || weights->shape(0) != n)
        refuse("codes, labels and weights must have the same number of rows, got " + text(n) + ", " +
               text(labels->shape(0)) + " and " + text(weights->shape(0)));
    problem.labels = labels->data();
    problem.weights = weights->data();
    check_labels(problem);
}

nb::dict tree_of(const many::Tree& tree) {
    nb::dict out;
    std::vector<std::int32_t> column, bin, lower, upper;
    for (const many::Node& node : tree) {
        column.push_back(node.column);
        bin.push_back(node.bin);
        lower.push_back(node.side[0]);
        upper.push_back(node.side[1]);
    }
    out["column"] = as_array(std::move(column));
    out["bin"] = as_array(std::move(bin));
    out["lower"] = as_array(std::move(lower));
    out["upper"] = as_array(std::move(upper));
    return out;
}

nb::dict to_dict(const many::Found& found) {
    nb::dict out = tree_of(found.tree);
    out["greedy"] = tree_of(found.greedy);
    out["status"] = status_name(found.status);
    out["peak_memory"] = found.peak_memory;
    out["seconds"] = found.seconds;
    return out;
}

nb::dict solve_bins(Input<std::uint8_t, 2> codes, const std::optional<Input<std::int32_t, 1>>& labels,
                    const std::optional<Input<double, 1>>& weights,
                    const std::optional<Input<double, 2>>& costs,
                    const std::optional<Input<double, 2>>& statistics, int n_labels,
                    const nb::kwargs& kwargs) {
    const SearchOptions given = read_options(kwargs, kThresholds);
    streed::Options options = given.engine();
    if (options.max_depth > kMostDepth)
        refuse("max_depth must be at most " + text(kMostDepth) + ", got " + text(options.max_depth));
    if (n_labels < 1 || n_labels > kMostLabels)
        refuse("n_labels must be from 1 to " + text(kMostLabels) + ", got " + text(n_labels));
    many::Problem problem;
    problem.codes = codes.data();
    problem.n_columns = codes.shape(0);
    problem.n_rows = codes.shape(1);
    problem.n_labels = n_labels;
    if (problem.n_rows == 0) refuse("codes must have at least one row, got none");
    if (problem.n_rows >= (1ull << 31)) refuse("codes: more than 2^31 rows");
    if (statistics) {
        if (labels || weights || costs) refuse("give statistics alone");
        if (statistics->shape(0) != problem.n_rows || statistics->shape(1) != 3)
            refuse("statistics must have shape (" + text(problem.n_rows) + ", 3), got (" +
                   text(statistics->shape(0)) + ", " + text(statistics->shape(1)) + ")");
        problem.statistics = statistics->data();
        check_sums("statistics", problem.statistics, problem.n_rows, 3);
        for (std::size_t row = 0; row < problem.n_rows; ++row)
            if (!(problem.statistics[3 * row] > 0)) refuse("weights of rows must be positive");
    } else {
        set_rows(problem, labels, weights, costs);
    }
    return to_dict(run_polled(options, given.poll, [&] { return many::solve(problem, options); }));
}

}  // namespace

void register_many(nb::module_& module) {
    module.def("bin_column", &bin_column, "values"_a.noconvert());
    module.def("solve_bins", &solve_bins, "codes"_a.noconvert(), "labels"_a.noconvert().none(),
               "weights"_a.noconvert().none(), "costs"_a.noconvert().none(),
               "statistics"_a.noconvert().none(), "n_labels"_a, "options"_a);
}
