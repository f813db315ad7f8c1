// Few cuts of every column: quantiles, cuts of greedy trees, and windows around known cuts.
#include "thresholds/anytime/cuts.hpp"

#include <algorithm>
#include <utility>

#include "greedy/grow.hpp"

namespace streed::thresholds {
namespace {

// Greedy trees are grown on so many quantiles of each column: entropy is computed at ends of groups alone.
constexpr int kBins = 255;

// A leaf of the deeper greedy trees has at least this share of the rows.
constexpr std::size_t kLeastShare = 200;

std::int32_t last_rank(const Search& search, int column) {
    return static_cast<std::int32_t>(search.table.sources[static_cast<std::size_t>(column)].ranks.size()) - 1;
}

// The rank of the root that a row of the node has.
std::int32_t rank_of(const Search& search, const Node& node, int column, int position) {
    return search.table.root.rank_of(column, node.roots()[node.row_at(column, position)]);
}

// Quantiles of the rows at the positions from `from` to `to`, as ranks below `to`'s own.
void add_quantiles(const Search& search, const Node& node, int column, int from, int to, int count,
                   Cuts& out) {
    for (int k = 0; k < count && from < to; ++k) {
        const int at = from + static_cast<int>((static_cast<long>(to - from) * (2 * k + 1)) / (2 * count));
        const std::int32_t rank = rank_of(search, node, column, at);
        if (rank < last_rank(search, column)) out.add(column, rank);
    }
}

}  // namespace

void Cuts::add(int column, std::int32_t rank) {
    std::vector<std::int32_t>& own = of_[static_cast<std::size_t>(column)];
    const auto at = std::lower_bound(own.begin(), own.end(), rank);
    if (at == own.end() || *at != rank) own.insert(at, rank);
}

void Cuts::add(const Plan* plan) {
    if (plan == nullptr) return;
    add(plan->column, plan->high - 1);
    for (const auto& side : plan->side) add(side.get());
}

void Cuts::add(const Cuts& other) {
    for (int j = 0; j < n_columns(); ++j)
        for (const std::int32_t rank : other.of(j)) add(j, rank);
}

std::size_t Cuts::size() const {
    std::size_t n = 0;
    for (const auto& own : of_) n += own.size();
    return n;
}

Cuts quantile_cuts(const Search& search, const Node& node, int per_column) {
    Cuts out(node.n_columns());
    for (int j = 0; j < node.n_columns(); ++j)
        if (!node.constant(j)) add_quantiles(search, node, j, 0, node.size(), per_column, out);
    return out;
}

Cuts greedy_cuts(Search& search, const Node& node, int depth) {
    Cuts out(node.n_columns());
    GreedyTargets targets;
    if (!node.model().greedy_targets(node, targets)) return out;
    const std::size_t n = static_cast<std::size_t>(node.size());
    std::vector<int> columns;
    std::vector<std::int32_t> bins, of_rank;
    for (int j = 0; j < node.n_columns(); ++j) {
        if (node.constant(j)) continue;
        search.checkpoint(true);
        columns.push_back(j);
        bins.resize(bins.size() + n);
        std::int32_t* own = bins.data() + (bins.size() - n);
        std::int32_t bin = 0, before = rank_of(search, node, j, 0);
        int start = 0;
        for (int position = 0; position < node.size(); ++position) {
            const std::int32_t rank = rank_of(search, node, j, position);
            if (rank != before && static_cast<long>(position - start) * kBins >= node.size()) {
                ++bin;
                start = position;
            }
            before = rank;
            own[node.row_at(j, position)] = bin;
        }
    }
    greedy::Rows rows;
    rows.ranks = bins.data();
    rows.n_rows = n;
    rows.n_columns = columns.size();
    rows.labels = targets.labels.empty() ? nullptr : targets.labels.data();
    rows.n_labels = node.n_labels();
    rows.targets = targets.targets.empty() ? nullptr : targets.targets.data();
    rows.n_targets = targets.targets.empty() ? 0 : 1;
    rows.weights = targets.weights.data();
    const std::pair<greedy::Criterion, int> plans[] = {{targets.first, 0}, {targets.second, 1}};
    for (const auto& [criterion, more] : plans) {
        const std::size_t least = std::max<std::size_t>(static_cast<std::size_t>(search.least_rows),
                                                        more == 0 ? 1 : n / kLeastShare);
        const greedy::Grown grown = greedy::grow(
            rows, criterion, {depth + more, full_tree(depth + more), least, search.seconds_left()});
        for (const Split& split : grown.splits) {
            // The last rank of the bin, among the rows of the node.
            const int column = columns[static_cast<std::size_t>(split.column)];
            const std::int32_t* own = bins.data() + static_cast<std::size_t>(split.column) * n;
            int low = 0, high = node.size();
            while (low < high) {
                const int middle = (low + high) / 2;
                if (own[node.row_at(column, middle)] > split.rank)
                    high = middle;
                else
                    low = middle + 1;
            }
            if (low > 0 && low < node.size()) out.add(column, rank_of(search, node, column, low - 1));
        }
    }
    return out;
}

namespace {

// The first position of a column whose rank in the root is above a cut.
int position_above(const Search& search, const Node& node, int column, std::int32_t cut) {
    int low = 0, high = node.size();
    while (low < high) {
        const int middle = (low + high) / 2;
        if (rank_of(search, node, column, middle) > cut)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void add_windows(const Search& search, const Node& node, const Cuts& known, const Plan* plan, int per_side,
                 Cuts& out) {
    if (plan == nullptr) return;
    const int j = plan->column;
    const std::int32_t own = plan->high - 1;
    const std::vector<std::int32_t>& others = known.of(j);
    const auto above = std::upper_bound(others.begin(), others.end(), own);
    auto below = std::lower_bound(others.begin(), others.end(), own);
    const int here = position_above(search, node, j, own);
    const int from = below == others.begin() ? 0 : position_above(search, node, j, *--below);
    const int to = above == others.end() ? node.size() : position_above(search, node, j, *above);
    out.add(j, own);
    add_quantiles(search, node, j, from, here, per_side, out);
    add_quantiles(search, node, j, here, to, per_side, out);
    for (const auto& side : plan->side) add_windows(search, node, known, side.get(), per_side, out);
}

}  // namespace

Cuts window_cuts(const Search& search, const Node& node, const Cuts& known, const Plan* plan, int per_side) {
    Cuts out(node.n_columns());
    add_windows(search, node, known, plan, per_side, out);
    return out;
}

}  // namespace streed::thresholds
