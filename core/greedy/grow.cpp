// CART on ranks: each node sorts its rows by column and takes the boundary with the purest sides..
#include "greedy/grow.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

namespace streed::greedy {
namespace {

double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

// The purity of both sides of a boundary, kept up to date while rows move from one side to the other. Larger
// is purer, so that differences are gains: the sum of n_k^2 / n (gini), of s_k^2 / n with the sums s_k of
// targets (squares), of n_k log n_k less n log n (entropy).
class Balance {
public:
    Balance(const Rows& rows, Criterion criterion)
        : rows_(rows), entropy_(criterion == Criterion::entropy), sums_(2 * rows.n_sums()) {}

    void clear() {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        for (Side& side : sides_) side = {};
    }
    void add(int side, std::size_t row) { change(side, row, rows_.weights[row]); }
    void move(std::size_t row) {
        change(0, row, -rows_.weights[row]);
        change(1, row, rows_.weights[row]);
    }
    double purity() const { return purity(sides_[0]) + purity(sides_[1]); }

    // The same for the sides of a binary feature, from the sums (`step` apart) and the weight of the rows
    // that have it, and of all rows of the node.
    double purity_of(const double* with, std::size_t step, double weight_with, const std::vector<double>& all,
                     double weight_all) const {
        Side left{weight_all - weight_with, 0}, right{weight_with, 0};
        if (!(left.weight > 0) || !(right.weight > 0)) return -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < all.size(); ++k) {
            right.sum += term(with[k * step]);
            left.sum += term(all[k] - with[k * step]);
        }
        return purity(left) + purity(right);
    }

private:
    struct Side {
        double weight = 0;
        double sum = 0;  // of the terms of all sums
    };

    double term(double sum) const { return entropy_ ? x_log_x(sum) : sum * sum; }
    double purity(const Side& side) const {
        if (!(side.weight > 0)) return 0;
        return entropy_ ? side.sum - x_log_x(side.weight) : side.sum / side.weight;
    }
    void change(int number, std::size_t row, double weight) {
        sides_[number].weight += weight;
        if (rows_.labels != nullptr)
            return add_to(number, static_cast<std::size_t>(rows_.labels[row]), weight);
        for (std::size_t k = 0; k < rows_.n_targets; ++k)
            add_to(number, k, weight * rows_.targets[row * rows_.n_targets + k]);
    }
    void add_to(int number, std::size_t k, double value) {
        double& sum = sums_[2 * k + static_cast<std::size_t>(number)];
        sides_[number].sum += entropy_ ? x_log_x(sum + value) - x_log_x(sum) : value * (2 * sum + value);
        sum += value;
    }

    const Rows& rows_;
    bool entropy_;
    std::vector<double> sums_;  // by label or target, and side
    Side sides_[2];
};

struct Best {
    Split split;
    double purity = 0;
    bool found = false;
};

// A node of the growing tree: its rows are order[begin, end).
struct Node {
    std::size_t begin = 0, end = 0;
    int depth = 0;
    int child[2] = {-1, -1};
    Split split;
};

// Rows of a node for each sum by rank from which on the sums are made first.
constexpr std::size_t kRowsPerSum = 4;

class Grower {
public:
    Grower(const Rows& rows, Criterion criterion, const Limits& limits)
        : rows_(rows),
          limits_(limits),
          balance_(rows, criterion),
          order_(rows.n_rows),
          sorted_(rows.n_rows),
          started_(std::chrono::steady_clock::now()) {
        std::iota(order_.begin(), order_.end(), 0u);
        for (std::size_t column = 0; column < rows.n_columns; ++column) {
            const std::int32_t* ranks = rows.ranks + column * rows.n_rows;
            most_.push_back(*std::max_element(ranks, ranks + rows.n_rows));
        }
        const std::int32_t most = most_.empty() ? -1 : *std::max_element(most_.begin(), most_.end());
        ends_.assign(static_cast<std::size_t>(most) + 2, 0);
    }

    Grown run() {
        nodes_.push_back({0, rows_.n_rows, 0, {-1, -1}, {}});
        offer(0);
        for (int n_nodes = 0; n_nodes < limits_.nodes && !queue_.empty() && !late(); ++n_nodes) {
            const auto [gain, negative] = queue_.top();
            queue_.pop();
            divide(static_cast<std::size_t>(-negative));
        }
        Grown out;
        write(0, out);
        return out;
    }

private:
    bool late() const {
        const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - started_;
        return gone.count() >= limits_.seconds;
    }

    // Puts a node that can be split into the queue, with the gain of its best split; of equal gains the node
    // made first comes first.
    void offer(std::size_t number) {
        Node& node = nodes_[number];
        if (node.depth >= limits_.depth || node.end - node.begin < 2 * limits_.least_rows || late()) return;
        if (is_pure(node)) return;
        balance_.clear();
        for (std::size_t k = node.begin; k < node.end; ++k) balance_.add(0, order_[k]);
        const double whole = balance_.purity();
        Best best;
        for (std::size_t column = 0; column < rows_.n_columns && !late(); ++column)
            try_column(node, column, best);
        if (rows_.n_bits > 0 && !late()) try_bits(node, best);
        if (!best.found) return;
        node.split = best.split;
        queue_.emplace(best.purity - whole, -static_cast<long>(number));
    }

    bool is_pure(const Node& node) const {
        const std::size_t first = order_[node.begin];
        const auto same = [&](std::size_t row) {
            if (rows_.labels != nullptr) return rows_.labels[row] == rows_.labels[first];
            const double* targets = rows_.targets + row * rows_.n_targets;
            return std::equal(targets, targets + rows_.n_targets, rows_.targets + first * rows_.n_targets);
        };
        return std::all_of(order_.begin() + static_cast<std::ptrdiff_t>(node.begin),
                           order_.begin() + static_cast<std::ptrdiff_t>(node.end), same);
    }

    // Sorts the rows of a node by their rank, missing values first: by counting, or, where the ranks are
    // many more than the rows, by comparing.
    std::size_t sort_rows(const Node& node, const std::int32_t* ranks) {
        const std::size_t n = node.end - node.begin;
        const std::uint32_t* begin = order_.data() + node.begin;
        std::int32_t least = ranks[begin[0]], most = least;
        std::size_t n_missing = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::int32_t rank = ranks[begin[k]];
            least = std::min(least, rank);
            most = std::max(most, rank);
            n_missing += rank < 0;
        }
        const auto span = static_cast<std::size_t>(most - least) + 1;
        if (span > 8 * n) {
            std::copy(begin, begin + n, sorted_.begin());
            std::stable_sort(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(n),
                             [&](std::uint32_t a, std::uint32_t b) { return ranks[a] < ranks[b]; });
            return n_missing;
        }
        std::fill(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(span), 0u);
        for (std::size_t k = 0; k < n; ++k) ++ends_[static_cast<std::size_t>(ranks[begin[k]] - least)];
        std::exclusive_scan(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(span), ends_.begin(),
                            0u);
        for (std::size_t k = 0; k < n; ++k)
            sorted_[ends_[static_cast<std::size_t>(ranks[begin[k]] - least)]++] = begin[k];
        return n_missing;
    }

    // The best boundary of a column with few ranks, from the sums of the rows of each rank: purity is
    // computed once per rank instead of kept up to date row by row, which took six times as long for entropy.
    void try_groups(const Node& node, std::size_t column, std::int32_t most, Best& best) {
        const std::int32_t* ranks = rows_.ranks + column * rows_.n_rows;
        const std::size_t width = rows_.n_sums(), groups = static_cast<std::size_t>(most) + 2,
                          n = node.end - node.begin;
        sums_.assign(groups * width, 0.0);
        weights_.assign(groups, 0.0);
        counts_.assign(groups, 0);
        std::vector<double> all(width, 0.0), with(width);
        for (std::size_t k = node.begin; k < node.end; ++k) {
            const std::size_t row = order_[k], group = static_cast<std::size_t>(ranks[row] + 1);
            const double weight = rows_.weights[row];
            if (rows_.labels != nullptr)
                sums_[group * width + static_cast<std::size_t>(rows_.labels[row])] += weight;
            for (std::size_t t = 0; t < rows_.n_targets; ++t)
                sums_[group * width + t] += weight * rows_.targets[row * rows_.n_targets + t];
            weights_[group] += weight;
            ++counts_[group];
        }
        for (std::size_t group = 0; group < groups; ++group)
            for (std::size_t k = 0; k < width; ++k) all[k] += sums_[group * width + k];
        const double weight_all = std::accumulate(weights_.begin(), weights_.end(), 0.0);
        for (const bool missing_right : {false, true}) {
            if (missing_right && counts_[0] == 0) return;
            std::fill(with.begin(), with.end(), 0.0);
            double weight = 0;
            std::size_t right = 0;
            for (std::size_t group = missing_right ? 0 : 1; group < groups; ++group) {
                if (counts_[group] == 0) continue;
                if (right >= limits_.least_rows && n - right >= limits_.least_rows) {
                    const double purity = balance_.purity_of(with.data(), 1, weight, all, weight_all);
                    if (std::isfinite(purity) && (!best.found || purity > best.purity))
                        best = {{static_cast<std::int32_t>(column), last_,
                                 static_cast<std::int32_t>(group) - 1, missing_right},
                                purity,
                                true};
                }
                for (std::size_t k = 0; k < width; ++k) with[k] += sums_[group * width + k];
                weight += weights_[group];
                right += counts_[group];
                last_ = static_cast<std::int32_t>(group) - 1;
            }
        }
    }

    // The best boundary of a column, with missing values on either side of it.
    void try_column(const Node& node, std::size_t column, Best& best) {
        const std::int32_t* ranks = rows_.ranks + column * rows_.n_rows;
        const std::size_t n = node.end - node.begin;
        const std::int32_t most = most_[column];
        if (static_cast<std::size_t>(most + 2) * rows_.n_sums() * kRowsPerSum <= n)
            return try_groups(node, column, most, best);
        const std::size_t n_missing = sort_rows(node, ranks);
        if (ranks[sorted_[0]] == ranks[sorted_[n - 1]]) return;
        for (const bool missing_right : {false, true}) {
            if (missing_right && n_missing == 0) return;
            const std::size_t first = missing_right ? 0 : n_missing;
            balance_.clear();
            for (std::size_t k = 0; k < n; ++k) balance_.add(0, sorted_[k]);
            for (std::size_t k = first; k + 1 < n; ++k) {
                balance_.move(sorted_[k]);
                const std::int32_t rank = ranks[sorted_[k]], next = ranks[sorted_[k + 1]];
                const std::size_t right = k + 1 - first;
                if (rank == next || right < limits_.least_rows) continue;
                if (n - right < limits_.least_rows) break;
                const double purity = balance_.purity();
                if (best.found && !(purity > best.purity)) continue;
                best = {{static_cast<std::int32_t>(column), rank, next, missing_right}, purity, true};
            }
        }
    }

    // The best binary feature: the sums of the rows that have each feature, all features in one pass.
    void try_bits(const Node& node, Best& best) {
        const std::size_t m = rows_.n_bits, n = node.end - node.begin, n_sums = rows_.n_sums();
        sums_.assign(n_sums * m, 0.0);
        weights_.assign(m, 0.0);
        counts_.assign(m, 0);
        std::vector<double> all(n_sums, 0.0);
        double weight_all = 0;
        for (std::size_t k = node.begin; k < node.end; ++k) {
            const std::size_t row = order_[k];
            const std::uint8_t* bits = rows_.bits + row * m;
            const double weight = rows_.weights[row];
            const auto add = [&](std::size_t sum, double value) {
                double* sums = sums_.data() + sum * m;
                for (std::size_t f = 0; f < m; ++f) sums[f] += bits[f] != 0 ? value : 0.0;
                all[sum] += value;
            };
            if (rows_.labels != nullptr) add(static_cast<std::size_t>(rows_.labels[row]), weight);
            for (std::size_t t = 0; t < rows_.n_targets; ++t)
                add(t, weight * rows_.targets[row * rows_.n_targets + t]);
            for (std::size_t f = 0; f < m; ++f) weights_[f] += bits[f] != 0 ? weight : 0.0;
            for (std::size_t f = 0; f < m; ++f) counts_[f] += bits[f];
            weight_all += weight;
        }
        for (std::size_t f = 0; f < m; ++f) {
            if (counts_[f] < limits_.least_rows || n - counts_[f] < limits_.least_rows) continue;
            const double purity = balance_.purity_of(sums_.data() + f, m, weights_[f], all, weight_all);
            if (!std::isfinite(purity) || (best.found && !(purity > best.purity))) continue;
            best = {{static_cast<std::int32_t>(rows_.n_columns + f), 0, 1, false}, purity, true};
        }
    }

    bool goes_right(const Split& split, std::size_t row) const {
        const auto column = static_cast<std::size_t>(split.column);
        if (column >= rows_.n_columns) return rows_.bits[row * rows_.n_bits + column - rows_.n_columns] != 0;
        const std::int32_t rank = rows_.ranks[column * rows_.n_rows + row];
        return rank < 0 ? split.missing_right : rank <= split.rank;
    }

    void divide(std::size_t number) {
        const Node node = nodes_[number];
        const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(node.begin);
        const auto end = order_.begin() + static_cast<std::ptrdiff_t>(node.end);
        const auto middle = std::stable_partition(
            begin, end, [&](std::uint32_t row) { return !goes_right(node.split, row); });
        const auto half = node.begin + static_cast<std::size_t>(middle - begin);
        for (int side = 0; side < 2; ++side) {
            nodes_[number].child[side] = static_cast<int>(nodes_.size());
            nodes_.push_back(
                {side == 0 ? node.begin : half, side == 0 ? half : node.end, node.depth + 1, {-1, -1}, {}});
            offer(nodes_.size() - 1);
        }
    }

    std::int32_t write(int number, Grown& out) const {
        const Node& node = nodes_[static_cast<std::size_t>(number)];
        const auto place = out.feature.size();
        out.feature.push_back(-1);
        out.left.push_back(-1);
        out.right.push_back(-1);
        if (node.child[0] >= 0) {
            out.feature[place] = static_cast<std::int32_t>(out.splits.size());
            out.splits.push_back(node.split);
            const std::int32_t left = write(node.child[0], out), right = write(node.child[1], out);
            out.left[place] = left;
            out.right[place] = right;
        }
        return static_cast<std::int32_t>(place);
    }

    const Rows& rows_;
    const Limits& limits_;
    Balance balance_;
    std::vector<std::uint32_t> order_, sorted_, ends_;
    std::vector<std::int32_t> most_;  // the largest rank of each column
    std::int32_t last_ = 0;           // the rank below a boundary
    std::vector<double> sums_, weights_;
    std::vector<std::size_t> counts_;
    std::vector<Node> nodes_;
    std::priority_queue<std::pair<double, long>> queue_;
    std::chrono::steady_clock::time_point started_;
};

}  // namespace

Grown grow(const Rows& rows, Criterion criterion, const Limits& limits) {
    return Grower(rows, criterion, limits).run();
}

}  // namespace streed::greedy
