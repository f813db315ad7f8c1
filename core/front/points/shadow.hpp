// What the points of a list dominate, looked up in constant time: errs only by overlooking.
//
// The first components part the space into cells of equal size. A cell knows one of the points that are at
// most as large as all of the cell in these components: the one with the least of the others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "front/points/ledger.hpp"

namespace streed {

template <int M>
class Shadow {
public:
    static constexpr int kAxes = M >= 4 ? 3 : 2;
    static constexpr int kBins = kAxes == 3 ? 32 : 128;

    explicit Shadow(Ledger& ledger)
        : points_(Counted<Values>(ledger)), cells_(Counted<std::int32_t>(ledger)) {}
    void clear() { points_.clear(); }
    bool empty() const { return points_.empty(); }

    // Values are whole numbers, so that their bins are exact: the width of a bin is a power of two.
    template <class List>
    void build(const List& list) {
        points_.clear();
        if constexpr (M < 3) return;
        for (const auto& p : list) points_.push_back(p.v);
        if (points_.empty()) return;
        for (std::size_t a = 0; a < kAxes; ++a) {
            double high = low_[a] = points_[0][a];
            for (const auto& v : points_) {
                low_[a] = std::min(low_[a], v[a]);
                high = std::max(high, v[a]);
            }
            scale_[a] = 1;
            while ((high - low_[a]) * scale_[a] > kBins - 1) scale_[a] /= 2;
        }
        cells_.assign(kCells, -1);
        for (std::size_t p = 0; p < points_.size(); ++p) {
            std::size_t cell = 0;
            for (std::size_t a = 0; a < kAxes; ++a)
                cell = cell * kBins +
                       static_cast<std::size_t>(std::ceil((points_[p][a] - low_[a]) * scale_[a]));
            offer(cell, static_cast<std::int32_t>(p));
        }
        for (std::size_t step = 1; step < kCells; step *= kBins)
            for (std::size_t cell = 0; cell < kCells; ++cell)
                if (cell / step % kBins > 0) offer(cell, cells_[cell - step]);
    }

    // Whether a point of the list is known to be at most as large as v everywhere.
    template <class V>
    bool covers(const V& v) const {
        std::size_t cell = 0;
        for (std::size_t a = 0; a < kAxes; ++a) {
            const double at = (v[a] - low_[a]) * scale_[a];
            if (!(at >= 0)) return false;
            cell = cell * kBins + static_cast<std::size_t>(std::min(at, static_cast<double>(kBins - 1)));
        }
        const std::int32_t who = cells_[cell];
        if (who < 0) return false;
        for (std::size_t j = kAxes; j < static_cast<std::size_t>(M); ++j)
            if (points_[static_cast<std::size_t>(who)][j] > v[j]) return false;
        return true;
    }

private:
    using Values = std::array<double, static_cast<std::size_t>(M)>;
    static constexpr std::size_t kCells = static_cast<std::size_t>(kAxes == 3 ? kBins * kBins * kBins
                                                                              : kBins * kBins);

    void offer(std::size_t cell, std::int32_t point) {
        if (point < 0) return;
        if (cells_[cell] < 0 || rest(point) < rest(cells_[cell])) cells_[cell] = point;
    }
    double rest(std::int32_t point) const {
        double sum = 0;
        for (std::size_t j = kAxes; j < static_cast<std::size_t>(M); ++j)
            sum += points_[static_cast<std::size_t>(point)][j];
        return sum;
    }

    CountedVector<Values> points_;
    CountedVector<std::int32_t> cells_;
    double low_[kAxes] = {}, scale_[kAxes] = {};
};

}  // namespace streed
