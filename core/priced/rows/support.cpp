// A leaf that gains no more than the price of a split on the worst label of its rows can be given up: its
// rows go to the other side, and the split with it. So both sides of a split of a smallest optimal tree hold
// a leaf that gains more; a side as a whole can gain at most its weight less its cost as a leaf. For counted
// rows: more rows of one label than the price.
#include <algorithm>
#include <bit>

#include "priced/rows/reduction.hpp"

namespace streed::priced {
namespace {

// Values of the rows with the feature of a lane.
void add_values(const Rows& rows, int lane, std::vector<double>& sums) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int w = 0; w < rows.words[0]; ++w)
        for (std::uint64_t rest = rows.bit(w, lane); rest != 0; rest &= rest - 1) {
            const double* values = rows.row_values(64 * w + std::countr_zero(rest));
            for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += values[k];
        }
}

double gain(const std::vector<double>& sums) {
    return sums.back() - *std::min_element(sums.begin(), sums.end() - 1);
}

}  // namespace

bool Reducer::supported(const Rows& rows, std::vector<std::int32_t>& keep) {
    keep.clear();
    bool dropped = false;
    const auto decide = [&](int f, double gain1, double gain0, bool parts) {
        if (gain1 >= root_.support && gain0 >= root_.support)
            keep.push_back(f);
        else
            dropped = dropped || parts;
    };
    if (rows.n_values == 0) {
        for (int c = 0, begin = 0; c < 2; begin += rows.words[c], ++c) {
            counts_[c].assign(static_cast<std::size_t>(rows.stride), 0);
            kernels_.count_columns(rows.bits() + static_cast<std::size_t>(begin) * rows.stride, rows.stride,
                                   rows.words[c], rows.n_features, counts_[c].data());
        }
        for (int f = 0; f < rows.n_features; ++f) {
            const int a = counts_[0][static_cast<std::size_t>(f)],
                      b = counts_[1][static_cast<std::size_t>(f)];
            decide(f, std::max(a, b), std::max(rows.n[0] - a, rows.n[1] - b),
                   a + b > 0 && a + b < rows.n_rows());
        }
        return dropped;
    }
    std::vector<double> all(static_cast<std::size_t>(rows.n_values)), with(all), without(all);
    for (std::size_t k = 0; k < rows.values.size(); ++k) all[k % all.size()] += rows.values[k];
    for (int f = 0; f < rows.n_features; ++f) {
        add_values(rows, f, with);
        for (std::size_t k = 0; k < all.size(); ++k) without[k] = all[k] - with[k];
        decide(f, gain(with), gain(without), with.back() > 0 && without.back() > 0);
    }
    return dropped;
}

}  // namespace streed::priced
