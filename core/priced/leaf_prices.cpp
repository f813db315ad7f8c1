#include "priced/leaf_prices.hpp"

#include <algorithm>
#include <cmath>

#include "priced/conjunctions.hpp"
#include "priced/search.hpp"

namespace streed::priced {
namespace {

constexpr double kShare =
    0.95;  // of the programme's prices, so that few conjunctions come close to exceeding them
constexpr double kLeastGain =
    3;  // prices of the splits that the bound must exceed to be of use: pair tables give as much
constexpr int kRounds = 200;           // violated conjunctions that are added at most
constexpr double kEffortShare = 0.08;  // of the work so far

}  // namespace

double LeafPrices::worth(double a, double b, double p, double q) const {
    return a * p + b * q - root_.unit * std::min(p, q);
}

// With a fixed the best b is the least of the cuts', so that the value is concave in a: golden sections.
void LeafPrices::solve_programme(const Rows& rows) {
    const auto room = [&](const Cut& cut) {
        return root_.unit * std::min(cut.rows[0], cut.rows[1]) + root_.branch;
    };
    const auto second = [&](double a) {
        double b = root_.unit;
        for (const Cut& cut : cuts_)
            if (cut.rows[1] > 0) b = std::min(b, (room(cut) - a * cut.rows[0]) / cut.rows[1]);
        return b;
    };
    double low = 0, high = root_.unit;
    for (const Cut& cut : cuts_)
        if (cut.rows[0] > 0) high = std::min(high, room(cut) / cut.rows[0]);
    const auto value = [&](double a) { return a * rows.n[0] + second(a) * rows.n[1]; };
    for (int step = 0; step < 60; ++step) {
        const double left = low + 0.382 * (high - low), right = low + 0.618 * (high - low);
        (value(left) < value(right) ? low : high) = value(left) < value(right) ? left : right;
    }
    const double a = (low + high) / 2;
    trial_[0] = std::max(0.0, std::floor(a));
    trial_[1] = std::max(0.0, std::floor(second(a)));
    value_ = trial_[0] * rows.n[0] + trial_[1] * rows.n[1];
}

// The most violated cell of two features, as a new cut.
bool LeafPrices::cut_pairs(const Rows& rows, const PairTable& table) {
    double worst = root_.branch;
    Cut cut{};
    const int n = rows.n_features;
    spent_ += 2.0 * n * n;
    std::vector<int> with(2 * static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        int own[2];
        table.labels(i, i, own);
        std::copy_n(own, 2, &with[2 * static_cast<std::size_t>(i)]);
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            int both[2];
            table.labels(i, j, both);
            const int *with_i = &with[2 * static_cast<std::size_t>(i)],
                      *with_j = &with[2 * static_cast<std::size_t>(j)];
            for (int cell = 0; cell < 4; ++cell) {
                if (i == j && (cell == 1 || cell == 2)) continue;
                Cut found{};
                for (int c = 0; c < 2; ++c)
                    found.rows[c] = cell == 0   ? both[c]
                                    : cell == 1 ? with_i[c] - both[c]
                                    : cell == 2 ? with_j[c] - both[c]
                                                : rows.n[c] - with_i[c] - with_j[c] + both[c];
                const double exceeding = worth(trial_[0], trial_[1], found.rows[0], found.rows[1]);
                if (exceeding <= worst) continue;
                worst = exceeding;
                cut = found;
            }
        }
    if (worst <= root_.branch) return false;
    cuts_.push_back(cut);
    return true;
}

bool LeafPrices::certify(const Rows& rows, const PairTable& table, double effort) {
    cuts_.clear();
    spent_ = 0;
    trial_[0] = trial_[1] = root_.unit;
    for (int round = 0; round < kRounds && spent_ < effort; ++round) {
        while (cut_pairs(rows, table) && spent_ < effort) solve_programme(rows);
        const double price[2] = {std::floor(kShare * trial_[0]), std::floor(kShare * trial_[1])};
        if (value_ - root_.branch < kLeastGain * root_.branch) return false;
        bool found = false;
        for (int own = 0; own < 2 && !found; ++own) {
            Conjunctions search(root_, rows, kernels_, own, price[own], price[1 - own], effort - spent_);
            found = search.find();
            spent_ += search.effort();
            if (search.exhausted()) return false;
            if (!found) continue;
            Cut cut{};
            cut.rows[own] = search.own_rows();
            cut.rows[1 - own] = search.other_rows();
            cuts_.push_back(cut);
        }
        if (!found) {
            price_[0] = price[0];
            price_[1] = price[1];
            return ready_ = true;
        }
        solve_programme(rows);
    }
    return false;
}

bool Search::certify(Level& at) {
    if (at.rows->n_values > 0 || prices_.ready()) {
        next_certificate_ = std::numeric_limits<double>::infinity();
        return false;
    }
    const double before = work_;
    const bool found = prices_.certify(*at.rows, *at.table, kEffortShare * work_);
    work_ += prices_.effort();
    next_certificate_ = 4 * before + prices_.effort();
    if (!found) return false;
    ++counters_.certificates;
    next_certificate_ = std::numeric_limits<double>::infinity();
    use_prices(at);
    own_bounds(at);
    return true;
}

// Rows that were merged on the way down are missing from the prices: each pair cost one error, not the sum of
// both prices.
void Search::use_prices(Level& at) const {
    if (!prices_.ready()) return;
    const double a = prices_.of(0), b = prices_.of(1);
    const double missing = std::max(0.0, root_.unit - a - b) * (at.merged - top_->merged) / root_.unit +
                           root_.branch;
    const Rows& rows = *at.rows;
    at.lower = std::max(at.lower, std::min(at.leaf, a * rows.n[0] + b * rows.n[1] - missing));
    for (int f = 0; f < rows.n_features; ++f) {
        int with[2];
        at.table->labels(f, f, with);
        const double value[2] = {a * (rows.n[0] - with[0]) + b * (rows.n[1] - with[1]) - missing,
                                 a * with[0] + b * with[1] - missing};
        for (int s = 0; s < 2; ++s) {
            double& lower = at.bounds.lower[s][static_cast<std::size_t>(f)];
            lower = std::max(lower, std::min(at.bounds.upper[s][static_cast<std::size_t>(f)], value[s]));
        }
    }
}

}  // namespace streed::priced
