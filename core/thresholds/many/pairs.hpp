// The best two levels for the rows of a node, by sums over pairs of bins.
//
// One table of the sums by the bins of two columns serves every cut of the one above every cut of the other,
// and the other way round: a row is added once for each pair of columns, not once for each pair of cuts.
#pragma once

#include <numeric>

#include "thresholds/many/trees.hpp"

namespace streed::thresholds::many {

// Pairs of columns may take so many additions, or so many for each cell of the table.
constexpr double kPairWork = 2e8, kPairWorkPerCell = 20;
// Evaluating a cell of a pair table takes as long as adding so many rows.
constexpr double kPerCell = 8;

template <class Sums>
class LastTwo {
public:
    using Sum = typename Sums::Sum;
    LastTwo(const Task<Sums>& task, std::vector<std::uint32_t> rows)
        : task_(task), rows_(std::move(rows)), width_(task.sums.width()) {}

    // The best tree of one or two levels that is found, and its value.
    double solve(Tree& out, int levels) {
        out.assign(1, {});
        add_up();
        const double leaf = task_.sums.cost(total_.data());
        double best = leaf;
        if (n() < 2 * task_.least()) return best;
        const double stump = first_.value + task_.options.branch_cost;
        if (first_.column >= 0 && stump < best) {
            best = stump;
            split(out, 0, first_.column, first_.bin);
        }
        if (levels < 2) return best;
        choose_columns();
        for (std::size_t a = 0; a < chosen_.size(); ++a) {
            task_.control.checkpoint(true);
            for (std::size_t b = a; b < chosen_.size(); ++b) pair(a, b);
        }
        Tree tree(1);
        const double two = take_best(tree);
        if (two >= best) return best;
        out = std::move(tree);
        return two;
    }

private:
    double n() const { return static_cast<double>(rows_.size()); }
    double cost(const Sum* sums) const { return task_.sums.cost(sums); }

    // Sums by bins of every column, and the best single tests.
    void add_up() {
        total_.assign(width_, 0);
        for (const std::uint32_t row : rows_) task_.sums.add(total_.data(), row);
        std::vector<Sum> cells;
        stumps_.assign(task_.columns(), {});
        bins_ = n() < 4096 ? 16 : n() < 30000 ? 32 : 64;
        while (bins_ > 8 && static_cast<double>(bins_ * bins_) * static_cast<double>(width_) > 16384)
            bins_ /= 2;
        small_.resize(task_.columns());
        for (std::size_t j = 0; j < task_.columns(); ++j) {
            task_.control.checkpoint(true);
            cells.assign(kBins * width_, 0);
            const std::uint8_t* codes = task_.problem.column(j);
            for (const std::uint32_t row : rows_) task_.sums.add(cells.data() + codes[row] * width_, row);
            take_best_cut(
                task_.sums, cells.data(), j, task_.least(), [&](const Sum* s) { return cost(s); },
                stumps_[j]);
            if (stumps_[j].value < first_.value) first_ = stumps_[j];
            make_small(cells.data(), small_[j]);
        }
    }

    // Neighbouring bins put together, so that each of fewer bins has about as many rows.
    struct Small {
        std::uint8_t number[kBins];
        std::vector<std::int32_t> last;  // bin of the column, by number
    };
    void make_small(const Sum* cells, Small& out) const {
        const auto rows = [&](int bin) {
            return task_.sums.rows(cells + static_cast<std::size_t>(bin) * width_);
        };
        int different = 0;
        for (int bin = 0; bin < kBins; ++bin) different += rows(bin) > 0 ? 1 : 0;
        const double share = different <= bins_ ? 0 : task_.sums.rows(total_.data()) / bins_;
        double up_to = 0;
        int number = 0;
        out.last.clear();
        for (int bin = 0; bin < kBins; ++bin) {
            out.number[bin] = static_cast<std::uint8_t>(number);
            up_to += rows(bin);
            if (rows(bin) == 0 || up_to < share * (number + 1) || number + 1 == bins_) continue;
            out.last.push_back(bin);
            ++number;
        }
        out.last.push_back(kBins - 1);
    }

    // All columns if there is time for their pairs, else those with the best single tests.
    void choose_columns() {
        std::vector<std::size_t> order(task_.columns());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::erase_if(order, [&](std::size_t j) { return stumps_[j].column < 0; });
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return stumps_[a].value < stumps_[b].value; });
        const double cells = static_cast<double>(task_.rows()) * static_cast<double>(task_.columns());
        const double work = std::max(kPairWork, kPairWorkPerCell * cells);
        const double most = std::sqrt(2 * work / (n() + kPerCell * bins_ * bins_));
        if (static_cast<double>(order.size()) > most) order.resize(static_cast<std::size_t>(most));
        std::sort(order.begin(), order.end());
        chosen_ = std::move(order);
        codes_.resize(chosen_.size() * rows_.size());
        for (std::size_t a = 0; a < chosen_.size(); ++a) {
            const std::uint8_t* from = task_.problem.column(chosen_[a]);
            const std::uint8_t* number = small_[chosen_[a]].number;
            std::uint8_t* to = codes_.data() + a * rows_.size();
            for (std::size_t k = 0; k < rows_.size(); ++k) to[k] = number[from[rows_[k]]];
        }
        best_.assign(chosen_.size() * static_cast<std::size_t>(bins_) * 2, {});
    }

    void pair(std::size_t a, std::size_t b) {
        const std::size_t bins = static_cast<std::size_t>(bins_);
        table_.assign(bins * bins * width_, 0);
        const std::uint8_t* own = codes_.data() + a * rows_.size();
        const std::uint8_t* other = codes_.data() + b * rows_.size();
        Sum* table = table_.data();
        for (std::size_t k = 0; k < rows_.size(); ++k)
            task_.sums.add(table + (own[k] * bins + other[k]) * width_, rows_[k]);
        evaluate(a, b, bins * width_, width_);
        if (a != b) evaluate(b, a, width_, bins * width_);
    }

    // The best cut of one column on both sides of every cut of another one, the root.
    void evaluate(std::size_t root, std::size_t other, std::size_t root_step, std::size_t other_step) {
        const int n_root = static_cast<int>(small_[chosen_[root]].last.size());
        const int n_other = static_cast<int>(small_[chosen_[other]].last.size());
        const double least = task_.least();
        whole_.assign(static_cast<std::size_t>(n_other) * width_, 0);
        part_.assign(static_cast<std::size_t>(n_other) * width_, 0);
        for (int i = 0; i < n_root; ++i)
            for (int k = 0; k < n_other; ++k) add(whole_, k, i, root_step, other_step);
        std::vector<Sum> side(width_), rest(width_), low(width_), high(width_), rest_low(width_);
        for (int i = 0; i + 1 < n_root; ++i) {
            std::fill(side.begin(), side.end(), Sum{0});
            for (int k = 0; k < n_other; ++k) {
                add(part_, k, i, root_step, other_step);
                for (std::size_t w = 0; w < width_; ++w)
                    side[w] += part_[static_cast<std::size_t>(k) * width_ + w];
            }
            for (std::size_t w = 0; w < width_; ++w) rest[w] = total_[w] - side[w];
            std::fill(low.begin(), low.end(), Sum{0});
            std::fill(rest_low.begin(), rest_low.end(), Sum{0});
            Stump best[2] = {{}, {}};
            for (int k = 0; k + 1 < n_other; ++k) {
                for (std::size_t w = 0; w < width_; ++w) {
                    const Sum here = part_[static_cast<std::size_t>(k) * width_ + w];
                    low[w] += here;
                    rest_low[w] += whole_[static_cast<std::size_t>(k) * width_ + w] - here;
                }
                offer(best[0], low, side, high, k, least);
                offer(best[1], rest_low, rest, high, k, least);
            }
            for (int s = 0; s < 2; ++s) {
                Stump& known =
                    best_[(root * static_cast<std::size_t>(bins_) + static_cast<std::size_t>(i)) * 2 +
                          static_cast<std::size_t>(s)];
                if (best[s].value >= known.value) continue;
                known = {best[s].value, static_cast<std::int32_t>(other), best[s].bin};
            }
        }
        sides_of(root, root_step, n_root, other_step, n_other);
    }

    void add(std::vector<Sum>& to, int k, int i, std::size_t root_step, std::size_t other_step) const {
        const Sum* from = table_.data() + static_cast<std::size_t>(i) * root_step +
                          static_cast<std::size_t>(k) * other_step;
        for (std::size_t w = 0; w < width_; ++w) to[static_cast<std::size_t>(k) * width_ + w] += from[w];
    }

    void offer(Stump& best, const std::vector<Sum>& low, const std::vector<Sum>& all, std::vector<Sum>& high,
               int bin, double least) const {
        for (std::size_t w = 0; w < width_; ++w) high[w] = all[w] - low[w];
        const double value = cost(low.data()) + cost(high.data());
        if (value >= best.value) return;
        if (task_.sums.rows(low.data()) < least || task_.sums.rows(high.data()) < least) return;
        best = {value, 0, bin};
    }

    // What both sides of every cut of a column cost as leaves; the same from every pair.
    void sides_of(std::size_t root, std::size_t root_step, int n_root, std::size_t other_step, int n_other) {
        if (leaves_.size() != chosen_.size()) leaves_.resize(chosen_.size());
        if (!leaves_[root].empty()) return;
        std::vector<Sum> side(width_), rest(width_);
        for (int i = 0; i + 1 < n_root; ++i) {
            for (int k = 0; k < n_other; ++k) {
                const Sum* from = table_.data() + static_cast<std::size_t>(i) * root_step +
                                  static_cast<std::size_t>(k) * other_step;
                for (std::size_t w = 0; w < width_; ++w) side[w] += from[w];
            }
            for (std::size_t w = 0; w < width_; ++w) rest[w] = total_[w] - side[w];
            const bool fits = std::min(task_.sums.rows(side.data()), task_.sums.rows(rest.data())) >=
                              task_.least();
            leaves_[root].push_back(fits ? cost(side.data()) : kNever);
            leaves_[root].push_back(fits ? cost(rest.data()) : kNever);
        }
    }

    // The root test with the best sides, and these again over all bins.
    double take_best(Tree& out) const {
        double best = kNever;
        std::int32_t column = -1, bin = 0;
        const double price = task_.options.branch_cost;
        for (std::size_t a = 0; a < leaves_.size(); ++a)
            for (std::size_t i = 0; 2 * i < leaves_[a].size(); ++i) {
                double value = price;
                for (std::size_t s = 0; s < 2; ++s)
                    value += std::min(leaves_[a][2 * i + s],
                                      best_[(a * static_cast<std::size_t>(bins_) + i) * 2 + s].value + price);
                if (value >= best) continue;
                best = value;
                column = static_cast<std::int32_t>(chosen_[a]);
                bin = small_[chosen_[a]].last[i];
            }
        if (column < 0) return kNever;
        split(out, 0, column, bin);
        best = price;
        for (int s = 0; s < 2; ++s) best += side(out, s, column, bin);
        return best;
    }

    double side(Tree& out, int s, std::int32_t column, std::int32_t bin) const {
        const std::uint8_t* codes = task_.problem.column(static_cast<std::size_t>(column));
        std::vector<std::uint32_t> own;
        std::vector<Sum> total(width_), cells;
        for (const std::uint32_t row : rows_)
            if ((codes[row] > bin) == (s == 1)) {
                own.push_back(row);
                task_.sums.add(total.data(), row);
            }
        Stump best;
        for (std::size_t j = 0; j < task_.columns(); ++j) {
            cells.assign(kBins * width_, 0);
            const std::uint8_t* at = task_.problem.column(j);
            for (const std::uint32_t row : own) task_.sums.add(cells.data() + at[row] * width_, row);
            take_best_cut(
                task_.sums, cells.data(), j, task_.least(), [&](const Sum* x) { return cost(x); }, best);
        }
        const double leaf = cost(total.data()), stump = best.value + task_.options.branch_cost;
        if (best.column < 0 || stump >= leaf) return leaf;
        split(out, out[0].side[s], best.column, best.bin);
        return stump;
    }

    const Task<Sums>& task_;
    const std::vector<std::uint32_t> rows_;
    const std::size_t width_;
    int bins_ = 64;
    std::vector<Sum> total_, table_, whole_, part_;
    std::vector<Small> small_;
    std::vector<Stump> stumps_;
    Stump first_;
    std::vector<std::size_t> chosen_;
    std::vector<std::uint8_t> codes_;          // [chosen column][row]: numbers of small bins
    std::vector<Stump> best_;                  // [chosen column][small bin][side]
    std::vector<std::vector<double>> leaves_;  // [chosen column][small bin, side]
};

}  // namespace streed::thresholds::many
