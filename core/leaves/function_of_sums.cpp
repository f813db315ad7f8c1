// Function of sums: a leaf costs what a function makes of the sums of its rows' statistics.
//
// Statistics become whole multiples of a unit where they have one, else they are rounded to a grid of their
// own on which sums are exact; those that are one-hot are counted as bits. Costs are counted in grains of
// 2^-36 of the largest cost of the root and of both sides of every feature: a grain
// found from the rows alone would be far too coarse or too fine for an unknown function. A native loss
// (native/losses.hpp) also has what groups of equal rows cost together taken off, so that its search begins
// at zero. The search itself is in search/pairs/leaf_function.cpp.
#include <algorithm>
#include <cmath>

#include "data/units.hpp"
#include "leaves/leaf_models.hpp"
#include "leaves/leaf_table.hpp"
#include "leaves/native/rows.hpp"

namespace streed {
namespace {

bool one_hot(const double* statistics, std::size_t n, std::size_t s) {
    for (std::size_t r = 0; r < n; ++r) {
        const double* own = statistics + r * s;
        if (std::count(own, own + s, 1.0) != 1 ||
            std::count(own, own + s, 0.0) != static_cast<std::ptrdiff_t>(s) - 1)
            return false;
    }
    return true;
}

class FunctionRows {
public:
    FunctionRows(ReducedProblem& out, const GroupedRows& rows);

    void reduce() {
        add_statistics();
        weigh_groups();
        find_grain();
        rows_are_counted() ? fill_counted() : fill_added();
    }

private:
    void add_statistic(std::size_t m, const double* first, std::size_t step);
    void add_statistics();
    void take_waste();
    void weigh_groups();
    void weigh_by_size();
    std::vector<double> probe_sums() const;
    void find_grain();
    void finish();
    bool many_groups() const;
    bool rows_are_counted() const;
    bool costs_fit_table() const;
    void fill_counted();
    void fill_added();

    double weight(std::size_t r) const { return maximum_ ? leaf_.worst[r] : leaf_.worst[r] - leaf_.least[r]; }

    ReducedProblem& out_;
    const GroupedRows& rows_;
    const LeafFunction& leaf_;
    const std::size_t n_, n_statistics_;
    const bool maximum_;
    bool shifted_ = false;              // what rows cost at least is one more statistic, taken off the costs
    bool alike_ = true;                 // all rows have the same weight
    double weight_unit_ = 0;            // of the weights below
    std::size_t n_values_;              // statistics, and the least costs
    std::vector<double> table_, sums_;  // [row][value], [group][value]
    std::vector<double> most_;          // native: the most that a group can add to a leaf, if that is known
    std::vector<double> counts_, weights_;  // [group]
};

// Where leaves are not added up nothing can be taken off them row by row: all that is used of the least costs
// is that no row lowers the cost of its leaf.
FunctionRows::FunctionRows(ReducedProblem& out, const GroupedRows& rows)
    : out_(out),
      rows_(rows),
      leaf_(*rows.problem.function),
      n_(rows.problem.n_rows),
      n_statistics_(static_cast<std::size_t>(leaf_.n_statistics)),
      maximum_(rows.problem.maximum) {
    const bool rising = leaf_.least != nullptr &&
                        std::all_of(leaf_.least, leaf_.least + n_, [](double v) { return v >= 0; });
    shifted_ = !maximum_ && leaf_.least != nullptr &&
               std::any_of(leaf_.least, leaf_.least + n_, [](double v) { return v != 0; });
    n_values_ = n_statistics_ + (shifted_ ? 1 : 0);
    out_.kind = LeafKind::function;
    out_.n_values = out_.n_matrices = static_cast<int>(n_values_);
    out_.counting = false;
    out_.shifted = shifted_;
    out_.native = leaf_.native != NativeLeaf::none && rows.problem.prices == nullptr && !maximum_ &&
                  !shifted_ && !costs_fit_table();
    out_.bounded = maximum_ ? rising : leaf_.least != nullptr;
    out_.units.assign(n_values_, 1);
    table_.resize(n_ * n_values_);
    sums_.resize(rows.groups * n_values_);
    counts_.resize(rows.groups);
    weights_.resize(rows.groups);
}

void FunctionRows::add_statistic(std::size_t m, const double* first, std::size_t step) {
    std::vector<double> column(n_);
    for (std::size_t r = 0; r < n_; ++r) column[r] = first[r * step];
    const double unit = common_unit(column.data(), n_);
    if (unit > 0) {
        out_.units[m] = unit;
        for (double& v : column) v = std::nearbyint(v / unit);
    } else {
        const double grain = grain_of(column.data(), n_);
        to_grid(column, grain);
        for (double& v : column) v *= grain;
    }
    for (std::size_t r = 0; r < n_; ++r) {
        table_[r * n_values_ + m] = column[r];
        sums_[rows_.group[r] * n_values_ + m] += column[r];
    }
}

void FunctionRows::add_statistics() {
    for (std::size_t m = 0; m < n_statistics_; ++m) add_statistic(m, leaf_.statistics + m, n_statistics_);
    if (shifted_) add_statistic(n_statistics_, leaf_.least, 1);
    if (out_.native) take_waste();
}

// What groups of equal rows cost in any tree is taken off their last statistic, and goes to the base.
void FunctionRows::take_waste() {
    const std::size_t s = n_statistics_;
    std::vector<double> natural(sums_.size()), last(rows_.groups);
    for (std::size_t k = 0; k < sums_.size(); ++k) natural[k] = sums_[k] * out_.units[k % s];
    for (std::size_t g = 0; g < rows_.groups; ++g) {
        const double waste = native_unavoidable_cost(leaf_.native, &natural[g * s], s, leaf_.parameter);
        out_.base += waste;
        last[g] = natural[g * s + s - 1] - waste;
    }
    const double grain = grain_of(last.data(), rows_.groups);
    to_grid(last, grain);
    out_.units[s - 1] = 1;
    for (std::size_t g = 0; g < rows_.groups; ++g) sums_[g * s + s - 1] = last[g] * grain;
    most_ = native_most_added(leaf_.native, natural, rows_.groups, s, leaf_.parameter);
    for (double& most : most_) most = std::max(most, 0.0);
}

// Weights of rows only bound from above: they are rounded up to parts of the largest one, so that they are
// small numbers.
void FunctionRows::weigh_groups() {
    double heaviest = 0;
    out_.similar = out_.bounded && (leaf_.worst != nullptr || !most_.empty());
    for (std::size_t r = 0; r < n_ && leaf_.worst != nullptr; ++r) {
        heaviest = std::max(heaviest, weight(r));
        alike_ = alike_ && weight(r) == weight(0);
    }
    if (!most_.empty()) {
        heaviest = *std::max_element(most_.begin(), most_.end());
        alike_ = false;
    }
    weight_unit_ = alike_ ? heaviest : heaviest / 32;
    for (std::size_t r = 0; r < n_; ++r) {
        counts_[rows_.group[r]] += 1;
        if (heaviest > 0 && most_.empty())
            weights_[rows_.group[r]] += alike_ ? 1 : std::ceil(weight(r) / weight_unit_);
    }
    for (std::size_t g = 0; g < most_.size() && heaviest > 0; ++g)
        weights_[g] = std::ceil(most_[g] / weight_unit_);
    for (std::size_t g = 0; g < rows_.groups && out_.native; ++g)
        weights_[g] = std::max(weights_[g], 1.0);  // potentials are rounded, too
}

// Sums [value][cell] of all rows and of both sides of every feature, whose costs show the order of magnitude.
// A feature with one side only gives the sums of all rows. No part of the rows costs more than all of them by
// a native loss, for which all rows are enough.
std::vector<double> FunctionRows::probe_sums() const {
    const std::size_t probed = out_.native ? 0 : out_.features.size(), cells = 1 + 2 * probed;
    std::vector<double> probe(cells * n_values_);
    for (std::size_t g = 0; g < rows_.groups; ++g)
        for (std::size_t m = 0; m < n_values_; ++m) probe[m * cells] += sums_[g * n_values_ + m];
    std::vector<double> sides(2 * n_values_);  // beside each other: cells of `probe` lie in a cache line each
    for (std::size_t f = 0; f < probed; ++f) {
        const std::uint64_t* bits = &rows_.columns[static_cast<std::size_t>(out_.features[f]) * rows_.words];
        bool split[2] = {false, false};
        std::fill(sides.begin(), sides.end(), 0.0);
        for (std::size_t g = 0; g < rows_.groups; ++g) {
            const bool side = (bits[rows_.first[g] / 64] >> (rows_.first[g] % 64)) & 1;
            split[side] = true;
            double* sum = &sides[side ? n_values_ : 0];
            const double* own = &sums_[g * n_values_];
            for (std::size_t m = 0; m < n_values_; ++m) sum[m] += own[m];
        }
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t m = 0; m < n_values_; ++m)
                probe[m * cells + 1 + 2 * f + side] = split[side] ? sides[side * n_values_ + m]
                                                                  : probe[m * cells];
    }
    for (std::size_t m = 0; m < n_values_; ++m)
        for (std::size_t c = 0; c < cells; ++c) probe[m * cells + c] *= out_.units[m];
    return probe;
}

// What the kernels need of a native loss.
void FunctionRows::finish() {
    const NativeUnits found = finish_native(leaf_.native, sums_, out_.units, counts_, leaf_.parameter,
                                            out_.grain, rows_.options.keep_counts, rows_.options.packed_sums);
    out_.factor = found.factor;
    out_.parameter = found.parameter;
    out_.shift = found.shift;
    out_.ordered = found.ordered;
    out_.grain = found.grain;
    out_.base -= kPotentialMargin * static_cast<double>(rows_.groups) * out_.grain;
}

// Packed sums: the pair table has the first statistic of all pairs, and a slot adds at most so many times
// what the worst slot adds per unit of it. Smaller weights need a table of their own, which takes 5 to 15 %
// of the time. They hardly bound more: of the bound between children little is used but that the rows of one
// are all rows of the other (1.2 % fewer tables on airfoil at depth 5, 0.2 % on concrete, none on carbon and
// query1; at a quarter of those weights, which no bound allows, 15, 2, 0 and 1 %).
void FunctionRows::weigh_by_size() {
    double most = 0, all = 0;
    for (std::size_t g = 0; g < most_.size(); ++g) {
        const double size = sums_[g * n_values_];
        if (size < 1) return;  // the margin of its potential is added per unit
        most = std::max(most, most_[g] / size);
        all += size;
    }
    const double ticks = std::ceil(most / out_.grain) + 2 * kPotentialMargin;
    out_.sized = !most_.empty() && ticks * all < 0x1p52;  // exact
    if (out_.sized) out_.weight_ticks = ticks;
}

// Costs that are all zero say nothing about those further down; the statistics say a little.
void FunctionRows::find_grain() {
    const std::vector<double> probe = probe_sums();
    const std::size_t cells = probe.size() / n_values_;
    std::vector<double> costs(cells * static_cast<std::size_t>(rows_.problem.n_labels));
    leaf_.costs(probe.data(), cells, costs.data());
    double largest = 0, size = 1;
    for (const double cost : costs)
        if (std::isfinite(cost)) largest = std::max(largest, std::abs(cost));
    for (const double sum : probe) size = std::max(size, std::abs(sum));
    out_.grain = leaf_.grain > 0 ? leaf_.grain
                 : largest > 0   ? std::ldexp(1.0, std::ilogb(largest) + 1 - 36)
                                 : std::ldexp(1.0, std::ilogb(size) + 1 - 24);
    if (out_.native) finish();
    out_.total = largest / out_.grain;
    out_.exact = leaf_.grain == 1;
    out_.weight_ticks = std::ceil(weight_unit_ / out_.grain) + (out_.native  ? 2 * kPotentialMargin
                                                                : out_.exact ? 0
                                                                             : 1);
    if (out_.shift > 0) weigh_by_size();
    if (std::all_of(out_.units.begin(), out_.units.end(), [](double unit) { return unit == 1; }))
        out_.units.clear();
    if (shifted_) out_.base = probe[n_statistics_ * cells];
}

// Where more than four rows in a group are equal, adding up groups takes less than counting rows; 256 rows
// are counted in any case. Half and twice of both take as long.
bool FunctionRows::many_groups() const {
    return static_cast<double>(n_) <= 4 * static_cast<double>(rows_.groups) + 256;
}

// Rows of a few kinds, which the function gets the numbers of.
bool FunctionRows::rows_are_counted() const {
    return !out_.native && !shifted_ && alike_ && one_hot(table_.data(), n_, n_statistics_) && many_groups();
}

// Where a native loss has so few leaves that the costs of all fit a table, rows are counted as bits and costs
// looked up. The entropy of two classes takes a third of the time of logarithms then (german-credit at depth
// 4: 0.21 s instead of 0.67).
bool FunctionRows::costs_fit_table() const {
    if (leaf_.native == NativeLeaf::none || !many_groups() || !one_hot(leaf_.statistics, n_, n_statistics_))
        return false;
    double entries = 1;
    for (std::size_t m = 0; m < n_statistics_; ++m) {
        double total = 1;
        for (std::size_t r = 0; r < n_; ++r) total += leaf_.statistics[r * n_statistics_ + m];
        entries *= total;
    }
    return entries <= static_cast<double>(LeafTable::most_entries(out_.features.size(), 3));
}

void FunctionRows::fill_counted() {
    out_.counting = true;
    out_.n_matrices = 1;
    std::vector<std::vector<Unit>> units(n_statistics_);
    for (std::size_t r = 0; r < n_; ++r) {
        const double* own = &table_[r * n_statistics_];
        units[static_cast<std::size_t>(std::max_element(own, own + n_statistics_) - own)].push_back(
            {rows_.group[r], false});
    }
    fill_units(out_, units, rows_);
}

void FunctionRows::fill_added() {
    std::vector<std::vector<Slot>> blocks(1);
    for (std::size_t g = 0; g < rows_.groups; ++g)
        blocks[0].push_back(
            {static_cast<std::uint32_t>(g), 0, weights_[g], counts_[g], &sums_[g * n_values_], 0});
    fill_slots(out_, blocks, rows_, true);
    if (out_.native) out_.storage = Storage::f64;
}

void add(const Problem& problem, const std::uint32_t* rows, std::size_t n, double* sums) {
    const std::size_t s = static_cast<std::size_t>(problem.function->n_statistics);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t m = 0; m < s; ++m) sums[m] += problem.function->statistics[rows[k] * s + m];
}

}  // namespace

const LeafModelFunctions function_of_sums{
    .given = [](const Problem& problem) { return problem.function != nullptr; },
    .n_sums = [](const Problem& problem) { return problem.function->n_statistics; },
    .add = add,
    .costs = [](const Problem& problem, const double* sums, std::size_t n,
                double* costs) { problem.function->costs(sums, n, costs); },
    .row_range = nullptr,
    .nonnegative = false,
    .reduce = [](ReducedProblem& out, const GroupedRows& rows) { FunctionRows(out, rows).reduce(); },
};

}  // namespace streed
