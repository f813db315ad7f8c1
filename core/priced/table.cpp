// The bounds of all children from the pair table: stumps, cells, siblings and prices of splits.
#include "priced/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "priced/rows/planes.hpp"

namespace streed::priced {
namespace {

// What counted rows and rows with values have in common: a plane of shared weights with one number per pair.
template <class T>
class LaneTable : public PairTable {
public:
    LaneTable(const Root& root, const Kernels& kernels) : root_(root), kernels_(kernels) {}

    void push(int g, int side, double value, double apart, Bounds& bounds) const override {
        if (value <= 0) return;
        parts(g, side, apart);
        for (int s = 0; s < 2; ++s) {
            double* const lower = bounds.lower[s].data();
            const double* const lost = lost_rows_[1 - s].data();
            for (int f = 0; f < n_; ++f) lower[f] = std::max(lower[f], value - lost[f]);
        }
    }

    void inherit(const PairTable& from, const Bounds& bounds_from, int lane, int side,
                 const std::vector<std::int32_t>& lane_of, double apart, Bounds& bounds) const override {
        const auto& parent = static_cast<const LaneTable&>(from);
        const T* both = parent.shared(lane);
        const double all = parent.weight(lane, side);
        parent.parts(lane, 1 - side, apart);
        for (int f = 0; f < n_; ++f) {
            const auto g = static_cast<std::size_t>(lane_of[static_cast<std::size_t>(f)]);
            const double in1 = side == 1
                                   ? static_cast<double>(both[g])
                                   : parent.weight(static_cast<int>(g), 1) - static_cast<double>(both[g]);
            for (int s = 0; s < 2; ++s) {
                const double in = s == 1 ? in1
                                         : all - in1;  // of the rows of this node before any were merged
                const double unavoidable = lost_ * (in - weight(f, s)) * root_.unit;
                double& lower = bounds.lower[s][static_cast<std::size_t>(f)];
                lower = std::max(lower, bounds_from.lower[s][g] - parent.lost_rows_[s][g] - unavoidable);
            }
        }
    }

    double preview(int lane, int side, double leaf, const std::vector<std::int32_t>& keep, double apart,
                   const Bounds& bounds) const override {
        parts(lane, side, 0);  // costs of the grandchildren as leaves
        for (int s = 0; s < 2; ++s) leaves_[s].assign(lost_rows_[s].begin(), lost_rows_[s].end());
        parts(lane, 1 - side, apart);
        const double b = root_.branch;
        double least = leaf;
        for (const std::int32_t f : keep) {
            const auto g = static_cast<std::size_t>(f);
            double value = b;
            for (int s = 0; s < 2; ++s)
                value += std::max(std::min(leaves_[s][g], b), bounds.lower[s][g] - lost_rows_[s][g]);
            least = std::min(least, value);
        }
        return least;
    }

    double weight(int f, int side) const {
        const double with = static_cast<double>(with_[static_cast<std::size_t>(f)]);
        return side == 1 ? with : all_ - with;
    }

protected:
    virtual const T* shared(int f) const = 0;
    // What the rows on side `side` of g and each side of each feature are worth at most (kernels.hpp).
    virtual void parts(int g, int side, double apart) const = 0;
    double* lost_rows(int side) const {
        lost_rows_[side].resize(static_cast<std::size_t>(stride_));
        return lost_rows_[side].data();
    }

    void set_bounds(Bounds& bounds, int f, int side, double leaf, double stump, double cell,
                    bool peel) const {
        const double b = root_.branch, one = b + stump * root_.unit;
        const std::size_t at = static_cast<std::size_t>(f);
        const double upper = std::min(leaf * root_.unit, one);
        const bool whole = cell == std::numeric_limits<double>::infinity();
        bounds.upper[side][at] = upper;
        bounds.lower[side][at] =
            peel && whole ? upper : std::min(upper, std::min(2 * b + (peel ? cell * root_.unit : 0), 3 * b));
    }

    void resize(Bounds& bounds) const {
        for (int s = 0; s < 2; ++s) {
            bounds.lower[s].resize(static_cast<std::size_t>(n_));
            bounds.upper[s].resize(static_cast<std::size_t>(n_));
        }
    }

    const Root& root_;
    const Kernels& kernels_;
    int n_ = 0, stride_ = 0;
    double all_ = 0;       // weight of all rows, in units
    double lost_ = 1;      // unavoidable cost per weight that went when rows were merged, at most
    std::vector<T> with_;  // weight of the rows with each feature
    mutable std::vector<double> lost_rows_[2], leaves_[2];
};

template <class T>
class CountTable final : public LaneTable<T> {
    using Base = LaneTable<T>;
    using Base::all_, Base::kernels_, Base::n_, Base::root_, Base::stride_, Base::with_;

public:
    CountTable(const Root& root, const Kernels& kernels) : Base(root, kernels) { this->lost_ = 0.5; }

    void fill(const Rows& rows) override {
        n_ = rows.n_features;
        stride_ = rows.stride;
        all_ = rows.n_rows();
        const std::size_t plane = static_cast<std::size_t>(stride_) * stride_;
        difference_.reserve(plane * sizeof(T));
        total_.reserve(plane * sizeof(T));
        chunks_.reserve(static_cast<std::size_t>(rows.n_words() + 1) * stride_ * 24);
        frame_ = {rows.bits(), stride_, n_, {rows.n[0], rows.n[1]}, chunks_.data()};
        kernels().pairs(frame_, difference_.as<T>(), total_.as<T>());
        with_.resize(static_cast<std::size_t>(stride_));
        with_difference_.resize(static_cast<std::size_t>(stride_));
        for (int f = 0; f < n_; ++f) {
            with_[static_cast<std::size_t>(f)] = total(f)[f];
            with_difference_[static_cast<std::size_t>(f)] = difference(f)[f];
        }
    }

    void bound_children(bool peel, Bounds& bounds) override {
        this->resize(bounds);
        sides_.reserve(static_cast<std::size_t>(stride_) * 4 * sizeof(T));
        T* const sides = sides_.as<T>();
        T* const best[2] = {sides, sides + stride_};
        T* const cell[2] = {sides + 2 * stride_, sides + 3 * stride_};
        kernels().children(frame_, difference_.as<T>(), total_.as<T>(), static_cast<T>(root_.support), peel,
                           best, cell);
        const int all_difference = frame_.n[0] - frame_.n[1];
        for (int f = 0; f < n_; ++f)
            for (int s = 0; s < 2; ++s) {
                const int own = difference(f)[f], d = s == 1 ? own : all_difference - own;
                const double rows = this->weight(f, s);
                const T least = cell[s][f];
                this->set_bounds(bounds, f, s, (rows - std::abs(d)) / 2, (rows - best[s][f]) / 2,
                                 least == std::numeric_limits<T>::max()
                                     ? std::numeric_limits<double>::infinity()
                                     : least / 2,
                                 peel);
            }
    }

    void useful(int lane, int side, std::vector<std::int32_t>& keep, bool& dropped) const override {
        keep.clear();
        const T *d = difference(lane), *n = total(lane);
        const double enough = 2 * root_.support;
        const int own_d = side == 1 ? d[lane] : frame_.n[0] - frame_.n[1] - d[lane];
        const int own_n = static_cast<int>(this->weight(lane, side));
        for (int f = 0; f < n_; ++f) {
            const int n1 = side == 1 ? n[f] : total(f)[f] - n[f],
                      d1 = side == 1 ? d[f] : difference(f)[f] - d[f];
            if (n1 + std::abs(d1) >= enough && own_n - n1 + std::abs(own_d - d1) >= enough)
                keep.push_back(f);
            else
                dropped = dropped || (n1 > 0 && n1 < own_n);
        }
    }

    double leaf_of(int lane, int side) const override {
        const int own = difference(lane)[lane], d = side == 1 ? own : frame_.n[0] - frame_.n[1] - own;
        return (this->weight(lane, side) - std::abs(d)) / 2;
    }

    void labels(int i, int j, int (&rows)[2]) const override {
        const int n = total(i)[j], d = difference(i)[j];
        rows[0] = (n + d) / 2;
        rows[1] = (n - d) / 2;
    }

    std::size_t needed(const Rows& rows) const override {
        const std::size_t all = 2 * sizeof(T) * static_cast<std::size_t>(rows.stride) * rows.stride;
        return all > bytes() ? all - bytes() : 0;
    }
    std::size_t bytes() const override {
        return difference_.capacity() + total_.capacity() + chunks_.capacity() + sides_.capacity() +
               with_.capacity() * sizeof(T);
    }
    double work() const override {
        const double chunks = (frame_.n[0] + frame_.n[1]) / (8.0 * sizeof(T));
        return static_cast<double>(stride_) * stride_ * sizeof(T) / 64 * (0.8 * chunks + 8) + 2000;
    }

private:
    const T* shared(int f) const override { return total(f); }
    void parts(int g, int side, double apart) const override {
        const double own = difference(g)[g], all = frame_.n[0] - frame_.n[1];
        double* const lost[2] = {this->lost_rows(0), this->lost_rows(1)};
        const auto kernel = [&] {
            if constexpr (std::is_same_v<T, std::int16_t>)
                return kernels_.parts16;
            else
                return kernels_.parts32;
        }();
        kernel(difference(g), total(g), with_difference_.data(), with_.data(), n_, side,
               side == 1 ? own : all - own, this->weight(g, side), root_.unit, apart, lost);
    }
    const T* difference(int f) const {
        return difference_.template as<T>() + static_cast<std::size_t>(f) * stride_;
    }
    const T* total(int f) const { return total_.template as<T>() + static_cast<std::size_t>(f) * stride_; }
    const CountKernels<T>& kernels() const {
        if constexpr (std::is_same_v<T, std::int16_t>)
            return kernels_.count16;
        else
            return kernels_.count32;
    }

    CountFrame frame_;
    std::vector<T> with_difference_;
    AlignedBuffer difference_, total_, chunks_, sides_;
};

template <class T>
class SumTable final : public LaneTable<T> {
    using Base = LaneTable<T>;
    using Base::all_, Base::kernels_, Base::n_, Base::root_, Base::stride_, Base::with_;

public:
    using Base::Base;

    void fill(const Rows& rows) override {
        n_ = rows.n_features;
        stride_ = rows.stride;
        values_ = rows.n_values;
        const std::size_t plane = static_cast<std::size_t>(stride_) * stride_,
                          n = static_cast<std::size_t>(rows.n_rows());
        sums_.reserve(plane * static_cast<std::size_t>(values_) * sizeof(T));
        frame_ = {rows.bits(), stride_, n_, rows.n_rows(), values_, rows.values.data(), nullptr};
        const bool by_planes = make_planes(rows);
        scratch_.reserve((n + 64) * (static_cast<std::size_t>(values_) * sizeof(T) +
                                     static_cast<std::size_t>(stride_) / kLaneBlock * 4 + 4) +
                         64 * static_cast<std::size_t>(values_) * sizeof(T));
        frame_.scratch = scratch_.data();
        if (!by_planes) kernels().pairs(frame_, sums_.as<T>());
        totals_.assign(static_cast<std::size_t>(values_), 0);
        for (std::size_t k = 0; k < n * static_cast<std::size_t>(values_); ++k)
            totals_[k % static_cast<std::size_t>(values_)] += static_cast<T>(rows.values[k]);
        all_ = static_cast<double>(totals_.back());
        with_.assign(static_cast<std::size_t>(stride_), 0);
        for (int f = 0; f < n_; ++f) with_[static_cast<std::size_t>(f)] = sum(values_ - 1, f, f);
    }

    void bound_children(bool peel, Bounds& bounds) override {
        this->resize(bounds);
        sides_.reserve(static_cast<std::size_t>(stride_) * 4 * sizeof(T));
        T* const sides = sides_.as<T>();
        T* const best[2] = {sides, sides + stride_};
        T* const cell[2] = {sides + 2 * stride_, sides + 3 * stride_};
        kernels().children(frame_, sums_.as<T>(), totals_.data(), static_cast<T>(root_.support), best, cell);
        for (int f = 0; f < n_; ++f)
            for (int s = 0; s < 2; ++s) {
                const double least = static_cast<double>(cell[s][f]);
                const bool whole = least > root_.total;  // the largest number of its type
                this->set_bounds(bounds, f, s, leaf(f, f, s, 1), static_cast<double>(best[s][f]),
                                 whole ? std::numeric_limits<double>::infinity() : least, peel);
            }
    }

    void useful(int lane, int side, std::vector<std::int32_t>& keep, bool& dropped) const override {
        keep.clear();
        const double own = this->weight(lane, side);
        for (int f = 0; f < n_; ++f) {
            const double w1 = cell(values_ - 1, lane, f, side, 1), w0 = own - w1;
            if (w1 - leaf(lane, f, side, 1) >= root_.support && w0 - leaf(lane, f, side, 0) >= root_.support)
                keep.push_back(f);
            else
                dropped = dropped || (w1 > 0 && w0 > 0);
        }
    }

    double leaf_of(int lane, int side) const override { return leaf(lane, lane, side, side); }

    void labels(int, int, int (&rows)[2]) const override { rows[0] = rows[1] = 0; }

    std::size_t needed(const Rows& rows) const override {
        const std::size_t all = sizeof(T) * static_cast<std::size_t>(rows.stride) * rows.stride *
                                rows.n_values;
        return all > bytes() ? all - bytes() : 0;
    }
    std::size_t bytes() const override {
        return planes_.bytes() + sums_.capacity() + scratch_.capacity() + sides_.capacity() +
               with_.capacity() * sizeof(T);
    }
    double work() const override {
        return static_cast<double>(stride_) * stride_ * values_ * sizeof(T) / 64 *
                   (frame_.n_rows / 2.0 + 16) +
               4000;
    }

private:
    void parts(int g, int side, double apart) const override {
        for (int u = 0; u < 2; ++u) {
            double* const lost = this->lost_rows(u);
            for (int f = 0; f < n_; ++f) {
                const double all = f == g ? (u == side ? this->weight(g, side) : 0.0)
                                          : cell(values_ - 1, g, f, side, u);
                lost[f] = root_.unit * all;
                if (lost[f] > apart && f != g)
                    lost[f] = std::min(lost[f], apart + root_.unit * leaf(g, f, side, u));
            }
        }
    }
    const T* shared(int f) const override {
        return sums_.template as<T>() + plane() * static_cast<std::size_t>(values_ - 1) + row(f);
    }
    std::size_t plane() const { return static_cast<std::size_t>(stride_) * stride_; }
    std::size_t row(int f) const { return static_cast<std::size_t>(f) * stride_; }
    T sum(int value, int f, int g) const {
        return sums_.template as<T>()[plane() * static_cast<std::size_t>(value) + row(f) +
                                      static_cast<std::size_t>(g)];
    }
    // Of the rows on side s of f and side t of g; f and g may be one.
    double cell(int value, int f, int g, int s, int t) const {
        const double both = static_cast<double>(sum(value, f, g)),
                     has_f = static_cast<double>(sum(value, f, f)),
                     has_g = static_cast<double>(sum(value, g, g));
        if (f == g && s == t)
            return s == 1 ? both : static_cast<double>(totals_[static_cast<std::size_t>(value)]) - both;
        if (s == 1) return t == 1 ? both : has_f - both;
        return t == 1 ? has_g - both
                      : static_cast<double>(totals_[static_cast<std::size_t>(value)]) - has_f - has_g + both;
    }
    double leaf(int f, int g, int s, int t) const {
        double least = std::numeric_limits<double>::infinity();
        for (int v = 0; v + 1 < values_; ++v) least = std::min(least, cell(v, f, g, s, f == g ? s : t));
        return least;
    }
    const SumKernels<T>& kernels() const {
        if constexpr (std::is_same_v<T, std::int32_t>)
            return kernels_.sum32;
        else
            return kernels_.sum64;
    }

    // By planes of bits where that is less work (kernels/planes.hpp); false if it is not.
    bool make_planes(const Rows& rows) {
        if constexpr (!std::is_same_v<T, std::int32_t>) {
            return false;
        } else {
            if (!planes_.split(rows, kernels_)) return false;
            planes_.sum(rows, kernels_, sums_.template as<T>());
            return true;
        }
    }

    int values_ = 0;
    Planes planes_;
    SumFrame frame_;
    std::vector<T> totals_;
    AlignedBuffer sums_, scratch_, sides_;
};

}  // namespace

// Sixteen bits hold twice the rows of a cell; 32 bits of costs hold the difference of any two sums.
std::unique_ptr<PairTable> make_table(const Root& root, const Kernels& kernels) {
    if (root.n_values == 0) {
        if (root.total < 0x1p14) return std::make_unique<CountTable<std::int16_t>>(root, kernels);
        return std::make_unique<CountTable<std::int32_t>>(root, kernels);
    }
    if (root.total < 0x1p30) return std::make_unique<SumTable<std::int32_t>>(root, kernels);
    return std::make_unique<SumTable<double>>(root, kernels);
}

}  // namespace streed::priced
