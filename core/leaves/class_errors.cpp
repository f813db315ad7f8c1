// Class errors: every row has a label and a weight, and a leaf costs the weight of its rows with another
// label than its own.
//
// Equal rows with different labels cost what they cost in any tree (the bound of equivalent points): for two
// labels they cancel, for more the rows of all labels but the heaviest are light. Two labels become one
// signed difference, more one sum per label. Rows are counted as bits where weights are whole and few rows
// are equal, or depend on the label alone; else they are added up, which takes up to four times as long.
#include "leaves/class_errors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "data/units.hpp"

namespace streed {
namespace {

// Whether to count bits: whole weights, few enough rows when equal ones are told apart again, and leaf sizes
// that are numbers of slots.
bool counts_well(const std::vector<double>& sums, std::size_t k, std::size_t groups, bool whole,
                 bool unit_rows, bool keep_counts) {
    if (!whole || (keep_counts && !unit_rows)) return false;
    if (keep_counts) return true;
    double rows = 0, slots = 0;
    for (std::size_t g = 0; g < groups; ++g) {
        const double* s = &sums[g * k];
        if (k == 2) {
            rows += std::abs(s[1] - s[0]);
            slots += s[1] != s[0];
        } else {
            rows += std::accumulate(s, s + k, 0.0);
            slots += static_cast<double>(k - static_cast<std::size_t>(std::count(s, s + k, 0.0)));
        }
    }
    return rows <= 4 * slots + 256;
}

// Slots that count one each, per label. Returns the unavoidable cost.
double counting_slots(const ReducedProblem& out, const std::vector<double>& sums, std::size_t k,
                      std::size_t groups, bool keep_counts, std::vector<std::vector<Unit>>& blocks) {
    const bool is_signed = traits_of(out.kind).difference;
    blocks.resize(k);
    double unavoidable = 0;
    for (std::size_t g = 0; g < groups; ++g) {
        const double* s = &sums[g * k];
        const std::size_t best = static_cast<std::size_t>(std::max_element(s, s + k) - s);
        const double cancelled = is_signed ? std::min(s[0], s[1]) : 0;
        unavoidable += std::accumulate(s, s + k, 0.0) - s[best];
        for (std::size_t label = 0; label < k; ++label) {
            const double light = is_signed ? cancelled : label == best ? 0 : s[label];
            for (double copy = is_signed && !keep_counts ? cancelled : 0; copy < s[label]; ++copy)
                blocks[label].push_back({static_cast<std::uint32_t>(g), copy < light});
        }
    }
    if (is_signed) std::swap(blocks[0], blocks[1]);  // label 1 is the positive one
    return unavoidable;
}

// One slot per group of equal rows (and label, for more than two labels). Returns the unavoidable cost.
double weighted_slots(const ReducedProblem& out, const std::vector<double>& sums,
                      const std::vector<double>& counts, std::size_t k, std::size_t groups, bool keep_counts,
                      std::vector<std::vector<Slot>>& blocks) {
    blocks.resize(static_cast<std::size_t>(out.n_values));
    double unavoidable = 0;
    for (std::size_t g = 0; g < groups; ++g) {
        const double* s = &sums[g * k];
        const double* c = &counts[g * k];
        const auto id = static_cast<std::uint32_t>(g);
        const std::size_t best = static_cast<std::size_t>(std::max_element(s, s + k) - s);
        unavoidable += std::accumulate(s, s + k, 0.0) - s[best];
        if (traits_of(out.kind).difference) {
            const double value = s[1] - s[0];
            if (value != 0 || keep_counts) blocks[0].push_back({id, value, std::abs(value), c[0] + c[1]});
            continue;
        }
        for (std::size_t label = 0; label < k; ++label)
            if (c[label] > 0)
                blocks[label].push_back({id, s[label], label == best ? s[label] : 0.0, c[label]});
    }
    return unavoidable;
}

// The greatest common divisor of whole numbers; one if all of them are zero.
double common_divisor(const std::vector<double>& numbers) {
    double divisor = 0;
    for (double number : numbers)
        while (number != 0) number = std::fmod(std::exchange(divisor, number), number);
    return divisor == 0 ? 1 : divisor;
}

// Whether rows are best counted with a weight per label: it is the same for all rows of a label, and not too
// many rows are equal. Rows that count two are counted faster as two rows (german-credit at depth 4: 19
// against 24 ms).
bool scale_by_label(ReducedProblem& out, const GroupedRows& rows, const std::int32_t* row_labels,
                    const std::vector<int>& label_index, const std::vector<double>& grid,
                    std::size_t labels) {
    const std::size_t n = rows.problem.n_rows;
    if (labels < 2 || static_cast<double>(n) > 16 * static_cast<double>(rows.groups) + 1024) return false;
    std::vector<double> scale(labels, -1);
    for (std::size_t r = 0; r < n; ++r) {
        double& own = scale[static_cast<std::size_t>(label_index[static_cast<std::size_t>(row_labels[r])])];
        if (own >= 0 && own != grid[r]) return false;
        own = grid[r];
    }
    const double most = *std::max_element(scale.begin(), scale.end());
    if (most == 1 || (labels == 2 && most == 2 && rows.problem.prices == nullptr)) return false;
    out.kind = LeafKind::largest_sum;
    out.n_values = static_cast<int>(labels);
    out.counting = true;
    // Small weights are added up in narrow lanes, whatever the grain: often only prices need a fine one.
    out.scale_unit = common_divisor(scale);
    for (double& weight : scale) weight /= out.scale_unit;
    out.scale = scale;
    return true;
}

// Slots that count one each, per label, where every row of a label has the same weight. Returns the
// unavoidable cost. Groups are mostly small and labels may be many, so that the labels of a group are counted
// in one list that is cleared again.
double scaled_slots(const ReducedProblem& out, const GroupedRows& rows, const std::int32_t* row_labels,
                    const std::vector<int>& label_index, std::size_t k,
                    std::vector<std::vector<Unit>>& blocks) {
    const std::size_t n = rows.problem.n_rows;
    std::vector<std::uint32_t> begin(rows.groups + 1), member(n);
    for (std::size_t r = 0; r < n; ++r) ++begin[rows.group[r] + 1];
    for (std::size_t g = 0; g < rows.groups; ++g) begin[g + 1] += begin[g];
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1), size(k);
    const auto label_of = [&](std::size_t r) {
        return static_cast<std::size_t>(label_index[static_cast<std::size_t>(row_labels[r])]);
    };
    for (std::size_t r = 0; r < n; ++r) {
        member[next[rows.group[r]]++] = static_cast<std::uint32_t>(r);
        ++size[label_of(r)];
    }
    blocks.resize(k);
    for (std::size_t label = 0; label < k; ++label) blocks[label].reserve(size[label]);
    std::vector<double> count(k);
    double unavoidable = 0;
    for (std::size_t g = 0; g < rows.groups; ++g) {
        std::size_t best = k;
        double sum = 0, most = -1;
        for (std::uint32_t m = begin[g]; m < begin[g + 1]; ++m) {
            const std::size_t label = label_of(member[m]);
            count[label] += 1;
            sum += out.scale[label];
        }
        for (std::uint32_t m = begin[g]; m < begin[g + 1]; ++m) {
            const std::size_t label = label_of(member[m]);
            const double weight = out.scale[label] * count[label];
            if (weight > most || (weight == most && label < best)) {
                most = weight;
                best = label;
            }
        }
        unavoidable += sum - most;
        for (std::uint32_t m = begin[g]; m < begin[g + 1]; ++m) {
            const std::size_t label = label_of(member[m]);
            count[label] = 0;
            blocks[label].push_back({static_cast<std::uint32_t>(g), label != best});
        }
    }
    return unavoidable;
}

}  // namespace

void reduce_errors(ReducedProblem& out, const GroupedRows& rows, const std::int32_t* row_labels,
                   const std::vector<double>& grid) {
    const std::size_t n = rows.problem.n_rows;
    // Labels that occur, so that gaps cost nothing.
    std::vector<int> label_index(static_cast<std::size_t>(rows.problem.n_labels), -1);
    int labels = 0;
    for (std::size_t r = 0; r < n; ++r) label_index[static_cast<std::size_t>(row_labels[r])] = 0;
    for (int& index : label_index)
        if (index == 0) index = labels++;
    out.kind = labels <= 2 ? LeafKind::signed_difference : LeafKind::largest_sum;
    out.n_values = labels <= 2 ? 1 : labels;

    const bool keep = rows.options.keep_counts;
    out.total = std::accumulate(grid.begin(), grid.end(), 0.0);
    std::vector<std::vector<Unit>> units;
    if (scale_by_label(out, rows, row_labels, label_index, grid, static_cast<std::size_t>(labels))) {
        out.base += out.grain * out.scale_unit *
                    scaled_slots(out, rows, row_labels, label_index, static_cast<std::size_t>(labels), units);
        return fill_units(out, units, rows);
    }
    const std::size_t k = static_cast<std::size_t>(std::max(labels, 2));
    std::vector<double> sums(rows.groups * k), counts(rows.groups * k);
    for (std::size_t r = 0; r < n; ++r) {
        const std::size_t at = rows.group[r] * k +
                               static_cast<std::size_t>(label_index[static_cast<std::size_t>(row_labels[r])]);
        sums[at] += grid[r];
        counts[at] += 1;
    }
    const bool unit_rows = std::all_of(grid.begin(), grid.end(), [](double w) { return w == 1; });
    out.counting = counts_well(sums, k, rows.groups, out.grain == 1, unit_rows, keep);
    if (out.counting) {
        out.base += out.grain * counting_slots(out, sums, k, rows.groups, keep, units);
        return fill_units(out, units, rows);
    }
    std::vector<std::vector<Slot>> blocks;
    out.base += out.grain * weighted_slots(out, sums, counts, k, rows.groups, keep, blocks);
    fill_slots(out, blocks, rows, keep);
}

namespace {

void add(const Problem& problem, const std::uint32_t* rows, std::size_t n, double* sums) {
    for (std::size_t k = 0; k < n; ++k)
        sums[static_cast<std::size_t>(problem.labels[rows[k]])] += problem.weights[rows[k]];
}

void costs(const Problem& problem, const double* sums, std::size_t n, double* out) {
    const std::size_t labels = static_cast<std::size_t>(problem.n_labels);
    for (std::size_t leaf = 0; leaf < n; ++leaf) {
        double all = 0;
        for (std::size_t label = 0; label < labels; ++label) all += sums[label * n + leaf];
        for (std::size_t label = 0; label < labels; ++label)
            out[label * n + leaf] = all - sums[label * n + leaf];
    }
}

void reduce_rows(ReducedProblem& out, const GroupedRows& rows) {
    std::vector<double> grid(rows.problem.weights, rows.problem.weights + rows.problem.n_rows);
    out.grain = grain_of(grid.data(), grid.size());
    to_grid(grid, out.grain);
    reduce_errors(out, rows, rows.problem.labels, grid);
}

}  // namespace

const LeafModelFunctions class_errors{
    .given = [](const Problem& problem) { return problem.labels != nullptr; },
    .n_sums = [](const Problem& problem) { return problem.n_labels; },
    .add = add,
    .costs = costs,
    .row_range = [](const Problem& problem, std::size_t row) { return RowRange{0, problem.weights[row]}; },
    .nonnegative = true,
    .reduce = reduce_rows,
};

}  // namespace streed
