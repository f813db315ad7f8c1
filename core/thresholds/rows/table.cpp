// The reduction of a problem over thresholds: labels, weights, dense ranks, and columns with the same
// splits.
#include "thresholds/rows/table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "thresholds/models/row_model.hpp"

namespace streed::thresholds {
namespace {

// Rows without weight change no cost: they matter only where rows are counted.
std::vector<std::uint32_t> choose_rows(const ModelRows& rows, int min_samples_leaf) {
    std::vector<std::uint32_t> kept;
    for (std::size_t r = 0; r < rows.weights.size(); ++r)
        if (rows.weights[r] > 0 || min_samples_leaf > 1) kept.push_back(static_cast<std::uint32_t>(r));
    if (kept.empty()) kept.push_back(0);
    std::stable_sort(kept.begin(), kept.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rows.labels[a] < rows.labels[b]; });
    return kept;
}

// Dense ranks of the kept rows in a column. Ranks are mostly dense already, so that a table of all of them is
// shorter than sorting.
std::vector<std::int32_t> dense_ranks(const std::int32_t* column, const std::vector<std::uint32_t>& kept,
                                      Source& source) {
    std::vector<std::int32_t> values;
    values.reserve(kept.size());
    std::int32_t most = 0;
    for (const std::uint32_t row : kept) {
        values.push_back(column[row]);
        most = std::max(most, column[row]);
    }
    const std::int32_t missing = source.upper ? most + 1 : -1;
    for (std::int32_t& value : values) value = value < 0 ? missing : value;
    if (static_cast<std::size_t>(most) < 4 * kept.size() + 64) {
        std::vector<std::int32_t> number(static_cast<std::size_t>(most) + 3, -1);  // of rank - 1
        for (const std::int32_t value : values) number[static_cast<std::size_t>(value + 1)] = 0;
        for (std::size_t k = 0; k < number.size(); ++k) {
            if (number[k] < 0) continue;
            number[k] = static_cast<std::int32_t>(source.ranks.size());
            source.ranks.push_back(static_cast<std::int32_t>(k) - 1);
        }
        for (std::int32_t& value : values) value = number[static_cast<std::size_t>(value + 1)];
    } else {
        source.ranks = values;
        std::sort(source.ranks.begin(), source.ranks.end());
        source.ranks.erase(std::unique(source.ranks.begin(), source.ranks.end()), source.ranks.end());
        for (std::int32_t& value : values)
            value = static_cast<std::int32_t>(
                std::lower_bound(source.ranks.begin(), source.ranks.end(), value) - source.ranks.begin());
    }
    if (source.upper) source.ranks.back() = -1;
    source.ranks.shrink_to_fit();
    return values;
}

// Columns that order the rows alike, or the other way round, have the same splits. They are found by a hash
// of the ranks, taken in the direction in which the first row off the middle has the smaller one, and then
// compared.
class Distinct {
public:
    explicit Distinct(const std::vector<std::vector<std::int32_t>>& columns) : columns_(columns) {}

    // Whether no column so far has the splits of this one, which then is the next one.
    bool add(const std::vector<std::int32_t>& ranks, std::size_t n_ranks) {
        const Direction way = direction(ranks, n_ranks);
        std::uint64_t hash = 0;
        for (const std::int32_t rank : ranks)
            hash = (hash ^ static_cast<std::uint64_t>(way(rank))) * 0x9e3779b97f4a7c15ull;
        const auto [begin, end] = known_.equal_range(hash);
        for (auto at = begin; at != end; ++at) {
            const std::vector<std::int32_t>& other = columns_[at->second.first];
            const Direction its = at->second.second;
            std::size_t row = 0;
            while (row < ranks.size() && way(ranks[row]) == its(other[row])) ++row;
            if (row == ranks.size()) return false;
        }
        known_.emplace(hash, std::pair{columns_.size(), way});
        return true;
    }

private:
    struct Direction {
        std::int32_t last;
        bool mirrored;
        std::int32_t operator()(std::int32_t rank) const { return mirrored ? last - rank : rank; }
    };
    static Direction direction(const std::vector<std::int32_t>& ranks, std::size_t n_ranks) {
        const std::int32_t last = static_cast<std::int32_t>(n_ranks) - 1;
        const auto off = std::find_if(ranks.begin(), ranks.end(),
                                      [&](std::int32_t rank) { return rank != last - rank; });
        return {last, off != ranks.end() && *off > last - *off};
    }

    const std::vector<std::vector<std::int32_t>>& columns_;
    std::unordered_multimap<std::uint64_t, std::pair<std::size_t, Direction>> known_;
};

template <class Entry, class Rank>
void write_column(Node& root, int j, const std::vector<std::int32_t>& ranks, std::size_t n_ranks) {
    constexpr int half = 4 * static_cast<int>(sizeof(Entry));
    std::vector<std::uint32_t> at(n_ranks + 1, 0);
    for (const std::int32_t rank : ranks) ++at[static_cast<std::size_t>(rank) + 1];
    std::partial_sum(at.begin(), at.end(), at.begin());
    for (std::size_t row = 0; row < ranks.size(); ++row) {
        const std::size_t rank = static_cast<std::size_t>(ranks[row]);
        root.ranks<Rank>(j)[row] = static_cast<Rank>(rank);
        root.order<Entry>(j)[at[rank]++] = static_cast<Entry>(rank) << half | static_cast<Entry>(row);
    }
}

// Ticks per unit: one, or as fine as sums of costs and prices allow, so that the price of a node is hardly
// rounded.
void set_ticks(Table& table, bool fine, const Options& options) {
    if (options.branch_cost == 0) return;
    const double price = options.branch_cost / table.grain;
    if (fine) {
        table.branch_cost = static_cast<Cost>(std::nearbyint(std::min(price, 0x1p55)));
        return;
    }
    const double most = static_cast<double>(table.root.weight()) + 1;
    if (price == std::floor(price) && price < 0x1p50) {
        table.branch_cost = static_cast<Cost>(price);
        return;
    }
    table.ticks = Cost{1} << std::clamp(50 - std::ilogb(most), 0, 30);
    table.branch_cost = static_cast<Cost>(
        std::nearbyint(std::min(price * static_cast<double>(table.ticks), 0x1p55)));
}

}  // namespace

Table make_table(const Problem& problem, const Options& options) {
    const ModelRows rows = problem.model->make_rows(problem);
    std::vector<std::uint32_t> kept = choose_rows(rows, options.min_samples_leaf);
    Table table;
    table.grain = rows.grain;
    table.base = rows.base;
    std::vector<std::vector<std::int32_t>> columns;
    Distinct distinct(columns);
    for (std::size_t j = 0; j < problem.n_columns; ++j) {
        const std::int32_t* column = problem.ranks + j * problem.n_rows;
        const bool missing = std::any_of(kept.begin(), kept.end(),
                                         [&](std::uint32_t r) { return column[r] < 0; });
        for (int upper = 0; upper <= (missing ? 1 : 0); ++upper) {
            Source source{static_cast<std::int32_t>(j), missing, upper == 1, {}};
            std::vector<std::int32_t> ranks = dense_ranks(column, kept, source);
            if (source.ranks.size() < 2 ||
                (options.switches.drop_features && !distinct.add(ranks, source.ranks.size())))
                continue;
            table.sources.push_back(std::move(source));
            columns.push_back(std::move(ranks));
        }
    }
    const std::size_t labels = static_cast<std::size_t>(rows.n_labels);
    Node& root = table.root;
    table.bytes = root.allocate(static_cast<int>(kept.size()), static_cast<int>(columns.size()),
                                rows.n_labels, *rows.model, rows.unit);
    root.set_factor(rows.factor);
    for (std::size_t row = 0; row < kept.size(); ++row) {
        const std::size_t from = kept[row];
        root.roots()[row] = static_cast<std::uint32_t>(row);
        root.labels()[row] = rows.labels[from];
        if (!rows.unit) root.weights()[row] = rows.weights[from];
        if (root.has_costs())
            std::copy_n(rows.numbers.begin() + static_cast<std::ptrdiff_t>(from * labels), labels,
                        root.costs() + row * labels);
    }
    for (int j = 0; j < static_cast<int>(columns.size()); ++j) {
        const std::size_t n_ranks = table.sources[static_cast<std::size_t>(j)].ranks.size();
        if (root.wide())
            write_column<std::uint64_t, std::int32_t>(root, j, columns[static_cast<std::size_t>(j)], n_ranks);
        else
            write_column<std::uint32_t, std::int16_t>(root, j, columns[static_cast<std::size_t>(j)], n_ranks);
        columns[static_cast<std::size_t>(j)] = {};
    }
    root.add_up();
    table.rows = std::move(kept);
    set_ticks(table, rows.fine, options);
    return table;
}

}  // namespace streed::thresholds
