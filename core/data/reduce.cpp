#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "../leaves/waste.hpp"
#include "bits.hpp"
#include "problem.hpp"
#include "units.hpp"

namespace streed {
namespace {

// Numbers in grains: whole ones as they are, real ones rounded to a grid so fine that the rounding is far
// below the precision of the sum, and so coarse that every sum and difference is exact in a double.
double grain_of(const double* values, std::size_t n) {
    double total = 0;
    bool whole = true;
    for (std::size_t k = 0; k < n; ++k) {
        total += std::abs(values[k]);
        whole = whole && values[k] == std::floor(values[k]);
    }
    return grid_of(total, whole, 48);
}

void to_grid(std::vector<double>& values, double grain) {
    if (grain == 1) return;
    for (double& v : values) v = std::nearbyint(v / grain);
}

// Every row as a label and the weight of an error on it, in grains; the rest of its cost is unavoidable.
struct ErrorRows {
    std::vector<std::int32_t> labels;
    std::vector<double> weights;
    double unavoidable = 0;
};

// Label costs in that form, if they have it: all labels of a row but one cost the same, and no less than that one.
// Two labels always have it.
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

// A slot that counts one.
struct Unit {
    std::uint32_t group;
    bool light;  // no weight of its own
};

struct Slot {
    std::uint32_t group;
    double value, weight, count;
    const double* values = nullptr;  // instead of the one value
    double potential = 0;            // of several values
};

// Whether to count bits: whole weights, few enough rows when equal ones are told apart again, and leaf sizes that
// are numbers of slots.
bool counts_well(const std::vector<double>& sums, std::size_t k, std::size_t groups, bool whole, bool unit_rows, bool keep_counts) {
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
double counting_slots(const ReducedProblem& out, const std::vector<double>& sums, std::size_t k, std::size_t groups,
                      bool keep_counts, std::vector<std::vector<Unit>>& blocks) {
    const bool is_signed = out.kind == LeafKind::signed_difference;
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
double weighted_slots(const ReducedProblem& out, const std::vector<double>& sums, const std::vector<double>& counts, std::size_t k,
                      std::size_t groups, bool keep_counts, std::vector<std::vector<Slot>>& blocks) {
    blocks.resize(static_cast<std::size_t>(out.n_values));
    double unavoidable = 0;
    for (std::size_t g = 0; g < groups; ++g) {
        const double* s = &sums[g * k];
        const double* c = &counts[g * k];
        const auto id = static_cast<std::uint32_t>(g);
        const std::size_t best = static_cast<std::size_t>(std::max_element(s, s + k) - s);
        unavoidable += std::accumulate(s, s + k, 0.0) - s[best];
        if (out.kind == LeafKind::signed_difference) {
            const double value = s[1] - s[0];
            if (value != 0 || keep_counts) blocks[0].push_back({id, value, std::abs(value), c[0] + c[1]});
            continue;
        }
        for (std::size_t label = 0; label < k; ++label)
            if (c[label] > 0) blocks[label].push_back({id, s[label], label == best ? s[label] : 0.0, c[label]});
    }
    return unavoidable;
}

// What reduce() knows about the rows when the leaf model comes in.
struct Grouped {
    const Problem& problem;
    const Preprocessing& options;
    const Words& packed;  // rows of `width` words
    std::size_t width;
    const Words& columns;
    std::size_t words;
    std::vector<std::uint32_t> group, first;
    std::size_t groups = 0;
};

// Blocks of slots, and the bit columns of the kept features in their order.
template <class Row>
void lay_out(ReducedProblem& out, const std::vector<std::vector<Row>>& blocks, const Grouped& rows) {
    std::vector<std::uint32_t> order;
    for (const auto& block : blocks) {
        const int begin = out.words;
        out.words += static_cast<int>((block.size() + 63) / 64);
        out.blocks.push_back({begin, out.words});
        order.reserve(order.size() + block.size() + 63);
        for (const Row& row : block) order.push_back(rows.first[row.group]);
        order.resize((order.size() + 63) / 64 * 64, kNoRow);
        out.valid.resize(static_cast<std::size_t>(out.words), ~0ull);
        if (block.size() % 64 != 0) out.valid.back() = (1ull << (block.size() % 64)) - 1;
    }
    out.columns = ordered_columns(rows.packed, rows.width, rows.problem.n_features, out.features, order);
}

void fill_units(ReducedProblem& out, const std::vector<std::vector<Unit>>& blocks, const Grouped& rows) {
    lay_out(out, blocks, rows);
    out.light.assign(out.valid.size(), 0);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        std::size_t slot = 64 * static_cast<std::size_t>(out.blocks[b].word_begin);
        for (const Unit& unit : blocks[b]) {
            out.light[slot / 64] |= (unit.light ? 1ull : 0ull) << (slot % 64);
            ++slot;
        }
    }
}

void fill_slots(ReducedProblem& out, const std::vector<std::vector<Slot>>& blocks, const Grouped& rows, bool keep_counts) {
    lay_out(out, blocks, rows);
    const std::size_t slots = 64 * out.valid.size();
    const std::size_t matrices = static_cast<std::size_t>(out.n_matrices);
    const bool weighed = out.kind == LeafKind::largest_gain || out.kind == LeafKind::function;
    out.value.assign(slots * matrices, 0);
    out.weight.assign(slots, 0);
    out.potential.assign(slots, 0);
    out.count.assign(slots, 0);
    double total = 0, n_rows = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        std::size_t slot = 64 * static_cast<std::size_t>(out.blocks[b].word_begin);
        for (const Slot& s : blocks[b]) {
            const double* values = s.values != nullptr ? s.values : &s.value;
            for (std::size_t m = 0; m < matrices; ++m) out.value[m * slots + slot] = values[m];
            out.weight[slot] = s.weight;
            out.potential[slot] = s.values != nullptr ? s.potential : s.weight;
            out.count[slot] = s.count;
            double most = 0;
            for (std::size_t m = 0; m < matrices; ++m) most = std::max(most, std::abs(values[m]));
            most = std::max(most, weighed ? s.weight : 0.0);
            out.largest_value = std::max({out.largest_value, most, keep_counts ? s.count : 0.0});
            total += most;
            n_rows += s.count;
            ++slot;
        }
    }
    const auto is_whole = [](double v) { return v == std::floor(v); };
    const bool whole = (out.kind == LeafKind::function ? std::all_of(out.value.begin(), out.value.end(), is_whole) : out.grain == 1) &&
                       std::max(total, n_rows) < 0x1p30;
    out.storage = !whole ? Storage::f64 : out.largest_value > 127 ? Storage::i32 : Storage::i8;
}

// The greatest common divisor of whole numbers; one if all of them are zero.
double common_divisor(const std::vector<double>& numbers) {
    double divisor = 0;
    for (double number : numbers)
        while (number != 0) number = std::fmod(std::exchange(divisor, number), number);
    return divisor == 0 ? 1 : divisor;
}

// Whether rows are best counted with a weight per label: it is the same for all rows of a label, adding up signed weights
// would be slower (more than two labels, or weights too large for bytes), and not too many rows are equal.
bool scale_by_label(ReducedProblem& out, const Grouped& rows, const std::int32_t* row_labels, const std::vector<int>& label_index,
                    const std::vector<double>& grid, std::size_t labels) {
    const std::size_t n = rows.problem.n_rows;
    if (labels < 2 || static_cast<double>(n) > 16 * static_cast<double>(rows.groups) + 1024) return false;
    std::vector<double> scale(labels, -1);
    for (std::size_t r = 0; r < n; ++r) {
        double& own = scale[static_cast<std::size_t>(label_index[static_cast<std::size_t>(row_labels[r])])];
        if (own >= 0 && own != grid[r]) return false;
        own = grid[r];
    }
    const double most = *std::max_element(scale.begin(), scale.end());
    if (std::all_of(scale.begin(), scale.end(), [](double w) { return w == 1; })) return false;
    if (labels == 2 && most <= 31 && rows.problem.prices == nullptr) return false;
    out.kind = LeafKind::largest_sum;
    out.n_values = static_cast<int>(labels);
    out.counting = true;
    // Small weights are added up in narrow lanes, whatever the grain: often only prices need a fine one.
    out.scale_unit = common_divisor(scale);
    for (double& weight : scale) weight /= out.scale_unit;
    out.scale = scale;
    return true;
}

// Slots that count one each, per label, where every row of a label has the same weight. Returns the unavoidable cost. Groups
// are mostly small and labels may be many, so that the labels of a group are counted in one list that is cleared again.
double scaled_slots(const ReducedProblem& out, const Grouped& rows, const std::int32_t* row_labels, const std::vector<int>& label_index,
                    std::size_t k, std::vector<std::vector<Unit>>& blocks) {
    const std::size_t n = rows.problem.n_rows;
    std::vector<std::uint32_t> begin(rows.groups + 1), member(n);
    for (std::size_t r = 0; r < n; ++r) ++begin[rows.group[r] + 1];
    for (std::size_t g = 0; g < rows.groups; ++g) begin[g + 1] += begin[g];
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1), size(k);
    const auto label_of = [&](std::size_t r) { return static_cast<std::size_t>(label_index[static_cast<std::size_t>(row_labels[r])]); };
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

void reduce_errors(ReducedProblem& out, const Grouped& rows, const std::int32_t* row_labels, const std::vector<double>& grid) {
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
        out.base += out.grain * out.scale_unit * scaled_slots(out, rows, row_labels, label_index, static_cast<std::size_t>(labels), units);
        return fill_units(out, units, rows);
    }
    const std::size_t k = static_cast<std::size_t>(std::max(labels, 2));
    std::vector<double> sums(rows.groups * k), counts(rows.groups * k);
    for (std::size_t r = 0; r < n; ++r) {
        const std::size_t at = rows.group[r] * k + static_cast<std::size_t>(label_index[static_cast<std::size_t>(row_labels[r])]);
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

// Any label costs: what every label but the first saves against it, K - 1 values for each group of equal rows.
void reduce_gains(ReducedProblem& out, const Grouped& rows, const std::vector<double>& grid) {
    const std::size_t k = static_cast<std::size_t>(rows.problem.n_labels);
    std::vector<double> sums(rows.groups * k), counts(rows.groups), gains(rows.groups * (k - 1));
    for (std::size_t r = 0; r < rows.problem.n_rows; ++r) {
        for (std::size_t label = 0; label < k; ++label) sums[rows.group[r] * k + label] += grid[r * k + label];
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
            blocks[0].push_back({static_cast<std::uint32_t>(g), 0, most - least, counts[g], &gains[g * (k - 1)], c[0] - least});
    }
    out.base = out.grain * unavoidable;
    fill_slots(out, blocks, rows, rows.options.keep_counts);
}

bool one_hot(const std::vector<double>& statistics, std::size_t s) {
    for (std::size_t r = 0; r < statistics.size() / s; ++r) {
        const double* own = statistics.data() + r * s;
        if (std::count(own, own + s, 1.0) != 1 || std::count(own, own + s, 0.0) != static_cast<std::ptrdiff_t>(s) - 1) return false;
    }
    return true;
}

// Takes what groups of equal rows cost in any tree off their last statistic. Returns what each group can cost more at most, if
// that is known.
std::vector<double> take_waste(ReducedProblem& out, NativeLeaf form, std::vector<double>& sums, std::size_t groups, std::size_t s) {
    std::vector<double> natural(sums.size()), last(groups);
    for (std::size_t k = 0; k < sums.size(); ++k) natural[k] = sums[k] * out.units[k % s];
    for (std::size_t g = 0; g < groups; ++g) {
        const double waste = native_leaf_cost(form, &natural[g * s], s);
        out.base += waste;
        last[g] = natural[g * s + s - 1] - waste;
    }
    const double grain = grain_of(last.data(), groups);
    to_grid(last, grain);
    out.units[s - 1] = 1;
    for (std::size_t g = 0; g < groups; ++g) sums[g * s + s - 1] = last[g] * grain;
    return form == NativeLeaf::squares ? squares_weights(natural, groups, s) : std::vector<double>();
}

// Statistics for a function: as whole multiples of a unit where they have one, else on a grid of their own on which sums are exact. Costs are counted in
// grains of 2^-36 of the largest cost seen at the root and just below it.
void reduce_statistics(ReducedProblem& out, const Grouped& rows) {
    const LeafFunction& leaf = *rows.problem.function;
    const std::size_t n = rows.problem.n_rows;
    const std::size_t s = static_cast<std::size_t>(leaf.n_statistics);
    // Where leaves are not added up nothing can be taken off them row by row: all that is used of the least costs is that
    // no row lowers the cost of its leaf.
    const bool maximum = rows.problem.maximum;
    const bool rising = leaf.least != nullptr && std::all_of(leaf.least, leaf.least + n, [](double v) { return v >= 0; });
    const bool shifted = !maximum && leaf.least != nullptr && std::any_of(leaf.least, leaf.least + n, [](double v) { return v != 0; });
    const std::size_t matrices = s + (shifted ? 1 : 0);
    std::vector<double> sums(rows.groups * matrices), counts(rows.groups), weights(rows.groups), column(n), table(n * matrices);
    out.units.assign(matrices, 1);
    const auto add = [&](std::size_t m, auto&& value) {
        for (std::size_t r = 0; r < n; ++r) column[r] = value(r);
        const double unit = common_unit(column.data(), n);
        if (unit > 0) {
            out.units[m] = unit;
            for (double& v : column) v = std::nearbyint(v / unit);
        } else {
            const double grain = grain_of(column.data(), n);
            to_grid(column, grain);
            for (double& v : column) v *= grain;
        }
        for (std::size_t r = 0; r < n; ++r) {
            table[r * matrices + m] = column[r];
            sums[rows.group[r] * matrices + m] += column[r];
        }
    };
    for (std::size_t m = 0; m < s; ++m) add(m, [&](std::size_t r) { return leaf.statistics[r * s + m]; });
    if (shifted) add(s, [&](std::size_t r) { return leaf.least[r]; });
    // Weights of rows only bound from above: they are rounded up to parts of the largest one, so that they are small numbers.
    double heaviest = 0;
    bool alike = true;
    const auto weight = [&](std::size_t r) { return maximum ? leaf.worst[r] : leaf.worst[r] - leaf.least[r]; };
    for (std::size_t r = 0; r < n && leaf.worst != nullptr; ++r) {
        heaviest = std::max(heaviest, weight(r));
        alike = alike && weight(r) == weight(0);
    }
    out.native = leaf.native != NativeLeaf::none && rows.problem.prices == nullptr && !maximum && !shifted;
    const std::vector<double> group_weights = out.native ? take_waste(out, leaf.native, sums, rows.groups, s) : std::vector<double>();
    for (std::size_t g = 0; g < group_weights.size(); ++g) heaviest = g == 0 ? group_weights[0] : std::max(heaviest, group_weights[g]);
    alike = alike && group_weights.empty();
    const double weight_unit = alike ? heaviest : heaviest / 32;
    for (std::size_t r = 0; r < n; ++r) {
        counts[rows.group[r]] += 1;
        if (heaviest > 0 && group_weights.empty()) weights[rows.group[r]] += alike ? 1 : std::ceil(weight(r) / weight_unit);
    }
    for (std::size_t g = 0; g < group_weights.size() && heaviest > 0; ++g) weights[g] = std::ceil(group_weights[g] / weight_unit);
    out.kind = LeafKind::function;
    out.n_values = out.n_matrices = static_cast<int>(matrices);
    out.counting = false;
    out.bounded = maximum ? rising : leaf.least != nullptr;
    out.similar = out.bounded && leaf.worst != nullptr;

    // Sums of all rows and of both sides of every feature, whose costs show the order of magnitude.
    const std::size_t cells = 1 + 2 * out.features.size();
    std::vector<double> probe(cells * matrices);
    for (std::size_t g = 0; g < rows.groups; ++g)
        for (std::size_t m = 0; m < matrices; ++m) probe[m * cells] += sums[g * matrices + m];
    for (std::size_t f = 0; f < out.features.size(); ++f) {
        const std::uint64_t* bits = &rows.columns[static_cast<std::size_t>(out.features[f]) * rows.words];
        bool split[2] = {false, false};
        for (std::size_t g = 0; g < rows.groups; ++g) {
            const bool side = (bits[rows.first[g] / 64] >> (rows.first[g] % 64)) & 1;
            split[side] = true;
            for (std::size_t m = 0; m < matrices; ++m) probe[m * cells + 1 + 2 * f + (side ? 1 : 0)] += sums[g * matrices + m];
        }
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t m = 0; m < matrices && !split[side]; ++m) probe[m * cells + 1 + 2 * f + side] = probe[m * cells];
    }
    for (std::size_t m = 0; m < matrices; ++m)
        for (std::size_t c = 0; c < cells; ++c) probe[m * cells + c] *= out.units[m];
    std::vector<double> costs(cells * static_cast<std::size_t>(rows.problem.n_labels));
    leaf.costs(probe.data(), cells, costs.data());
    double largest = 0, size = 1;
    for (const double cost : costs)
        if (std::isfinite(cost)) largest = std::max(largest, std::abs(cost));
    for (const double sum : probe) size = std::max(size, std::abs(sum));
    // Costs that are all zero say nothing about those further down; the statistics say a little.
    out.grain = leaf.grain > 0 ? leaf.grain : largest > 0 ? std::ldexp(1.0, std::ilogb(largest) + 1 - 36) : std::ldexp(1.0, std::ilogb(size) + 1 - 24);
    out.total = largest / out.grain;
    out.exact = leaf.grain == 1;
    out.weight_ticks = std::ceil(weight_unit / out.grain) + (out.exact ? 0 : 1);
    if (std::all_of(out.units.begin(), out.units.end(), [](double unit) { return unit == 1; })) out.units.clear();
    out.shifted = shifted;
    if (shifted) out.base = probe[s * cells];
    if (!shifted && alike && one_hot(table, s) && static_cast<double>(n) <= 4 * static_cast<double>(rows.groups) + 256) {
        // Rows of s kinds, which the function gets the numbers of: they are counted as bits.
        out.counting = true;
        out.n_matrices = 1;
        std::vector<std::vector<Unit>> units(s);
        for (std::size_t r = 0; r < n; ++r) {
            const double* own = &table[r * s];
            units[static_cast<std::size_t>(std::max_element(own, own + s) - own)].push_back({rows.group[r], false});
        }
        return fill_units(out, units, rows);
    }
    std::vector<std::vector<Slot>> blocks(1);
    for (std::size_t g = 0; g < rows.groups; ++g)
        blocks[0].push_back({static_cast<std::uint32_t>(g), 0, weights[g], counts[g], &sums[g * matrices], 0});
    fill_slots(out, blocks, rows, true);
}

}  // namespace

ReducedProblem reduce(const Problem& problem, const Preprocessing& options) {
    ReducedProblem out;
    const std::size_t n = problem.n_rows;
    const std::size_t words = (n + 63) / 64;
    const std::size_t width = (problem.n_features + 63) / 64;
    const Words packed = pack_rows(problem.features, n, problem.n_features, width);
    const Words columns = transpose(packed, n, problem.n_features, width, words);
    out.features = informative_features(columns, n, problem.n_features, words, options.drop_features, problem.prices != nullptr ? problem.prices->attribute : nullptr);
    Grouped rows{problem, options, packed, width, columns, words, {}, {}};
    rows.groups = group_rows(packed, n, width, out.features, options.merge_rows, rows.group, rows.first);
    if (problem.function != nullptr) {
        reduce_statistics(out, rows);
        return out;
    }
    if (problem.costs == nullptr) {
        std::vector<double> grid(problem.weights, problem.weights + n);
        out.grain = grain_of(grid.data(), n);
        to_grid(grid, out.grain);
        reduce_errors(out, rows, problem.labels, grid);
        return out;
    }
    const std::size_t k = static_cast<std::size_t>(problem.n_labels);
    std::vector<double> grid(problem.costs, problem.costs + n * k);
    out.grain = grain_of(grid.data(), n * k);
    to_grid(grid, out.grain);
    if (ErrorRows errors; as_errors(grid, n, k, errors)) {
        reduce_errors(out, rows, errors.labels.data(), errors.weights);
        out.base += out.grain * errors.unavoidable;
    } else {
        reduce_gains(out, rows, grid);
    }
    return out;
}

}  // namespace streed
