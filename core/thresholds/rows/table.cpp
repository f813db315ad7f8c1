// The reduction of a problem over thresholds: labels, weights, dense ranks, and columns with the same
// splits.
#include "thresholds/rows/table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "thresholds/squares.hpp"

namespace streed::thresholds {
namespace {

struct Rows {
    Model model = Model::two_labels;
    int n_labels = 2;
    std::vector<std::uint32_t> kept;    // rows of the problem
    std::vector<std::uint32_t> labels;  // of these
    std::vector<double> weights;        // of these, in units
    std::vector<double> costs;          // [row][label], in units
    double grain = 1, base = 0;
    bool unit = true;
    double factor = 1;
};

// The weight of a unit: one for whole weights, else a power of two so that all weights add up to less than
// 2^50 units.
double find_grain(const std::vector<double>& values, double total) {
    const bool whole = std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v); });
    if (whole && total < 0x1p50) return 1;
    return std::ldexp(1.0, std::ilogb(total) - 49);
}

// Labels that occur, numbered in their order.
std::vector<std::uint32_t> number_labels(const Problem& problem, int& n_labels) {
    std::vector<std::int32_t> of(static_cast<std::size_t>(problem.n_labels), -1);
    for (std::size_t r = 0; r < problem.n_rows; ++r) of[static_cast<std::size_t>(problem.labels[r])] = 0;
    n_labels = 0;
    for (std::int32_t& number : of)
        if (number == 0) number = n_labels++;
    std::vector<std::uint32_t> labels(problem.n_rows);
    for (std::size_t r = 0; r < problem.n_rows; ++r)
        labels[r] = static_cast<std::uint32_t>(of[static_cast<std::size_t>(problem.labels[r])]);
    n_labels = std::max(n_labels, 2);
    return labels;
}

Rows from_labels(const Problem& problem) {
    Rows out;
    out.labels = number_labels(problem, out.n_labels);
    out.model = out.n_labels == 2 ? Model::two_labels : Model::classes;
    out.weights.assign(problem.weights, problem.weights + problem.n_rows);
    return out;
}

// Costs above the least one of each row. With two labels, or one label that costs nothing and others that
// cost the same, the row has that label and this weight.
Rows from_costs(const Problem& problem) {
    Rows out;
    const std::size_t n = problem.n_rows, k = static_cast<std::size_t>(problem.n_labels);
    out.costs.resize(n * k);
    out.labels.resize(n);
    out.weights.resize(n);
    bool errors = true;
    for (std::size_t r = 0; r < n; ++r) {
        const double* row = problem.costs + r * k;
        const auto [least, most] = std::minmax_element(row, row + k);
        out.base += *least;
        out.labels[r] = static_cast<std::uint32_t>(least - row);
        out.weights[r] = *most - *least;
        for (std::size_t c = 0; c < k; ++c) {
            out.costs[r * k + c] = row[c] - *least;
            errors = errors && (c == out.labels[r] || row[c] - *least == out.weights[r]);
        }
    }
    out.n_labels = std::max(2, problem.n_labels);
    out.model = !errors ? Model::costs : out.n_labels == 2 ? Model::two_labels : Model::classes;
    if (errors) out.costs.clear();
    return out;
}

Rows from_statistics(const Problem& problem) {
    SquareRows made = make_square_rows(problem);
    Rows out;
    out.model = Model::squares;
    out.n_labels = 3;  // numbers of a row
    out.labels.assign(problem.n_rows, 0);
    out.costs = std::move(made.numbers);
    out.weights = std::move(made.most);
    out.unit = false;
    out.grain = made.tick;
    out.base = made.base;
    out.factor = made.factor;
    return out;
}

void put_on_grid(Rows& rows) {
    if (rows.model == Model::squares) return;
    std::vector<double>& numbers = rows.model == Model::costs ? rows.costs : rows.weights;
    rows.grain = find_grain(numbers, std::accumulate(numbers.begin(), numbers.end(), 0.0));
    for (double& number : numbers) number = std::nearbyint(number / rows.grain);
    if (rows.model == Model::costs) {
        const std::size_t k = static_cast<std::size_t>(rows.n_labels);
        for (std::size_t r = 0; r < rows.weights.size(); ++r)
            rows.weights[r] = *std::max_element(
                rows.costs.begin() + static_cast<std::ptrdiff_t>(r * k),
                rows.costs.begin() + static_cast<std::ptrdiff_t>((r + 1) * k));
    }
    rows.unit = rows.model != Model::costs &&
                std::all_of(rows.weights.begin(), rows.weights.end(),
                            [&](double w) { return w == rows.weights[0]; }) &&
                rows.weights[0] > 0;
    if (!rows.unit) return;
    rows.grain *= rows.weights[0];
    std::fill(rows.weights.begin(), rows.weights.end(), 1.0);
}

// Rows without weight change no cost: they matter only where rows are counted.
void choose_rows(Rows& rows, int min_samples_leaf) {
    for (std::size_t r = 0; r < rows.weights.size(); ++r)
        if (rows.weights[r] > 0 || min_samples_leaf > 1) rows.kept.push_back(static_cast<std::uint32_t>(r));
    if (rows.kept.empty()) rows.kept.push_back(0);
    std::stable_sort(rows.kept.begin(), rows.kept.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rows.labels[a] < rows.labels[b]; });
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
void set_ticks(Table& table, const Options& options) {
    if (options.branch_cost == 0) return;
    const double price = options.branch_cost / table.grain;
    if (table.model == Model::squares) {  // ticks are fine enough
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
    Rows rows = problem.statistics != nullptr ? from_statistics(problem)
                : problem.costs != nullptr    ? from_costs(problem)
                                              : from_labels(problem);
    put_on_grid(rows);
    choose_rows(rows, options.min_samples_leaf);
    Table table;
    table.model = rows.model;
    table.grain = rows.grain;
    table.base = rows.base;
    std::vector<std::vector<std::int32_t>> columns;
    Distinct distinct(columns);
    for (std::size_t j = 0; j < problem.n_columns; ++j) {
        const std::int32_t* column = problem.ranks + j * problem.n_rows;
        const bool missing = std::any_of(rows.kept.begin(), rows.kept.end(),
                                         [&](std::uint32_t r) { return column[r] < 0; });
        for (int upper = 0; upper <= (missing ? 1 : 0); ++upper) {
            Source source{static_cast<std::int32_t>(j), missing, upper == 1, {}};
            std::vector<std::int32_t> ranks = dense_ranks(column, rows.kept, source);
            if (source.ranks.size() < 2 ||
                (options.switches.drop_features && !distinct.add(ranks, source.ranks.size())))
                continue;
            table.sources.push_back(std::move(source));
            columns.push_back(std::move(ranks));
        }
    }
    const std::size_t labels = static_cast<std::size_t>(rows.n_labels);
    Node& root = table.root;
    table.bytes = root.allocate(static_cast<int>(rows.kept.size()), static_cast<int>(columns.size()),
                                rows.n_labels, rows.model, rows.unit);
    root.set_factor(rows.factor);
    for (std::size_t row = 0; row < rows.kept.size(); ++row) {
        const std::size_t from = rows.kept[row];
        root.roots()[row] = static_cast<std::uint32_t>(row);
        root.labels()[row] = rows.labels[from];
        if (!rows.unit) root.weights()[row] = rows.weights[from];
        if (root.has_costs())
            std::copy_n(rows.costs.begin() + static_cast<std::ptrdiff_t>(from * labels), labels,
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
    table.rows = std::move(rows.kept);
    set_ticks(table, options);
    return table;
}

}  // namespace streed::thresholds
