// From groups of equal rows to the slots of a search.
//
// Slots of one label (or all slots) fill whole words, so that the rows of a label are a range of words of
// every bit column: for labels with 3 and 70 rows the first block is word 0 and the second words 1 and 2, and
// `valid` has three, 64 and six bits set.
#include "data/slots.hpp"

#include <algorithm>
#include <cmath>

namespace streed {
namespace {

// Blocks of slots, and the bit columns of the kept features in their order.
template <class Row>
void lay_out(ReducedProblem& out, const std::vector<std::vector<Row>>& blocks, const GroupedRows& rows) {
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

}  // namespace

GroupedRows group_rows(const Problem& problem, const Preprocessing& options,
                       std::vector<std::int32_t>& features) {
    GroupedRows rows{problem, options, {}, {}, {}, {}, {}, {}};
    const std::size_t n = problem.n_rows;
    rows.words = (n + 63) / 64;
    rows.width = (problem.n_features + 63) / 64;
    rows.packed = pack_rows(problem.features, n, problem.n_features, rows.width);
    rows.columns = transpose(rows.packed, n, problem.n_features, rows.width, rows.words);
    features = informative_features(rows.columns, n, problem.n_features, rows.words, options.drop_features,
                                    problem.prices != nullptr ? problem.prices->attribute : nullptr);
    rows.groups = group_rows(rows.packed, n, rows.width, features, options.merge_rows, rows.group,
                             rows.first);
    return rows;
}

void fill_units(ReducedProblem& out, const std::vector<std::vector<Unit>>& blocks, const GroupedRows& rows) {
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

void fill_slots(ReducedProblem& out, const std::vector<std::vector<Slot>>& blocks, const GroupedRows& rows,
                bool keep_counts) {
    lay_out(out, blocks, rows);
    const std::size_t slots = 64 * out.valid.size();
    const std::size_t matrices = static_cast<std::size_t>(out.n_matrices);
    const LeafTraits traits = traits_of(out.kind);
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
            most = std::max(most, traits.own_weight ? s.weight : 0.0);
            out.largest_value = std::max({out.largest_value, most, keep_counts ? s.count : 0.0});
            total += most;
            n_rows += s.count;
            ++slot;
        }
    }
    const auto is_whole = [](double v) { return v == std::floor(v); };
    // Values are in grains, those of a function as they were given.
    const bool whole = (traits.benefit ? out.grain == 1
                                       : std::all_of(out.value.begin(), out.value.end(), is_whole)) &&
                       std::max(total, n_rows) < 0x1p30;
    out.storage = !whole ? Storage::f64 : out.largest_value > 127 ? Storage::i32 : Storage::i8;
}

}  // namespace streed
