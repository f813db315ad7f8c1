// Label costs: a leaf costs the sum of its rows' costs for its label.
//
// Costs that are class errors in disguise become such (two labels always are), since those are counted or
// need one signed sum. Of others, what every label but the first saves against it is added up, K - 1 values
// for each group of equal rows; the least cost of a group is unavoidable and taken off.
#include <algorithm>
#include <cmath>

#include "data/units.hpp"
#include "leaves/class_errors.hpp"

namespace streed {
namespace {

// Every row as a label and the weight of an error on it, in grains; the rest of its cost is unavoidable.
struct ErrorRows {
    std::vector<std::int32_t> labels;
    std::vector<double> weights;
    double unavoidable = 0;
};

// Label costs in that form, if they have it: all labels of a row but one cost the same, and no less than that
// one. Two labels always have it.
bool as_errors(const std::vector<double>& costs, std::size_t n, std::size_t k, ErrorRows& rows) {
    rows.labels.resize(n);
    rows.weights.resize(n);
    for (std::size_t r = 0; r < n; ++r) {
        const double* c = &costs[r * k];
        const std::size_t best = static_cast<std::size_t>(std::min_element(c, c + k) - c);
        const double most = *std::max_element(c, c + k);
        for (std::size_t label = 0; label < k; ++label)
            if (label != best && c[label] != most) return false;
        rows.labels[r] = static_cast<std::int32_t>(best);
        rows.weights[r] = most - c[best];
        rows.unavoidable += c[best];
    }
    return true;
}

void reduce_gains(ReducedProblem& out, const GroupedRows& rows, const std::vector<double>& grid) {
    const std::size_t k = static_cast<std::size_t>(rows.problem.n_labels);
    std::vector<double> sums(rows.groups * k), counts(rows.groups), gains(rows.groups * (k - 1));
    for (std::size_t r = 0; r < rows.problem.n_rows; ++r) {
        for (std::size_t label = 0; label < k; ++label)
            sums[rows.group[r] * k + label] += grid[r * k + label];
        counts[rows.group[r]] += 1;
    }
    out.kind = LeafKind::largest_gain;
    out.n_values = out.n_matrices = static_cast<int>(k) - 1;
    out.counting = false;
    std::vector<std::vector<Slot>> blocks(1);
    double unavoidable = 0;
    for (std::size_t g = 0; g < rows.groups; ++g) {
        const double* c = &sums[g * k];
        const double least = *std::min_element(c, c + k);
        const double most = *std::max_element(c, c + k);
        for (std::size_t label = 1; label < k; ++label) gains[g * (k - 1) + label - 1] = c[0] - c[label];
        unavoidable += least;
        out.total += most - least;
        if (most > least || rows.options.keep_counts)
            blocks[0].push_back({static_cast<std::uint32_t>(g), 0, most - least, counts[g],
                                 &gains[g * (k - 1)], c[0] - least});
    }
    out.base = out.grain * unavoidable;
    fill_slots(out, blocks, rows, rows.options.keep_counts);
}

void reduce_rows(ReducedProblem& out, const GroupedRows& rows) {
    const std::size_t n = rows.problem.n_rows, k = static_cast<std::size_t>(rows.problem.n_labels);
    std::vector<double> grid(rows.problem.costs, rows.problem.costs + n * k);
    out.grain = grain_of(grid.data(), n * k);
    to_grid(grid, out.grain);
    if (ErrorRows errors; as_errors(grid, n, k, errors)) {
        reduce_errors(out, rows, errors.labels.data(), errors.weights);
        out.base += out.grain * errors.unavoidable;
    } else {
        reduce_gains(out, rows, grid);
    }
}

void add(const Problem& problem, const std::uint32_t* rows, std::size_t n, double* sums) {
    const std::size_t labels = static_cast<std::size_t>(problem.n_labels);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t label = 0; label < labels; ++label)
            sums[label] += problem.costs[rows[k] * labels + label];
}

void costs(const Problem& problem, const double* sums, std::size_t n, double* out) {
    std::copy_n(sums, static_cast<std::size_t>(problem.n_labels) * n, out);
}

RowRange row_range(const Problem& problem, std::size_t row) {
    const std::size_t labels = static_cast<std::size_t>(problem.n_labels);
    const double* own = problem.costs + row * labels;
    const auto [least, most] = std::minmax_element(own, own + labels);
    return {*least, *most};
}

}  // namespace

const LeafModelFunctions label_costs{
    .given = [](const Problem& problem) { return problem.costs != nullptr; },
    .n_sums = [](const Problem& problem) { return problem.n_labels; },
    .add = add,
    .costs = costs,
    .row_range = row_range,
    .nonnegative = false,
    .reduce = reduce_rows,
};

}  // namespace streed
