// Points of a front, and the filter that keeps what is not dominated.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "front/points/arena.hpp"
#include "front/points/corners.hpp"
#include "front/points/shadow.hpp"
#include "front/search/control.hpp"

namespace streed {

template <int M>
struct Point {
    Vector<M> v;
    double scalar;      // weights . v
    std::int32_t tree;  // in the arena
};

// A point that may become one of a front: the tree is built only if the point is kept.
template <int M>
struct Candidate {
    Vector<M> v;
    double scalar;
    std::int32_t feature, left, right;  // feature < 0: a leaf, with ~label in left
};

// The tree of a candidate.
template <int M>
Tree unfolded(const Candidate<M>& c, const Arena& arena) {
    Tree tree;
    if (c.feature < 0) {
        arena.unfold(c.left, tree);
        return tree;
    }
    tree.push_back({c.feature, -1, -1, -1});
    const int left = arena.unfold(c.left, tree);
    const int right = arena.unfold(c.right, tree);
    tree[0].left = left;
    tree[0].right = right;
    return tree;
}

// The first `equal` components must agree for one point to dominate another; the others are minimised.
template <int M, class P>
bool in_order(const P& a, const P& b) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j)
        if (a.v[j] != b.v[j]) return a.v[j] < b.v[j];
    if (a.feature != b.feature) return a.feature < b.feature;
    return a.left != b.left ? a.left < b.left : a.right < b.right;
}

// Sorts what comes after `from` in blocks that are merged, so that the clock can be checked in between:
// `work` is called with the number of steps done.
template <int M, class Work>
void sort_points(CountedVector<Candidate<M>>& points, std::size_t from, Work&& work) {
    constexpr std::size_t kBlock = 32768;
    const auto at = [&](std::size_t k) {
        return points.begin() + static_cast<std::ptrdiff_t>(std::min(k, points.size()));
    };
    const bool several = points.size() - from > kBlock;
    for (std::size_t k = from; k < points.size(); k += kBlock) {
        std::sort(at(k), at(k + kBlock), in_order<M, Candidate<M>>);
        if (several) work(64.0 * kBlock);
    }
    if (!several) return;
    CountedVector<Candidate<M>> merged(points.size() - from, Candidate<M>{}, points.get_allocator());
    for (std::size_t width = kBlock; from + width < points.size(); width *= 2) {
        for (std::size_t k = from; k < points.size(); k += 2 * width) {
            const auto to = merged.begin() + static_cast<std::ptrdiff_t>(k - from);
            std::merge(at(k), at(k + width), at(k + width), at(k + 2 * width), to, in_order<M, Candidate<M>>);
            work(8.0 * static_cast<double>(width));
        }
        std::copy(merged.begin(), merged.end(), at(from));
    }
}

// Keeps the nondominated of the candidates, sorted; of equal ones the first by feature, a leaf before any
// split. The first `done` of them are sorted and do not dominate each other. When `work` throws, all of them
// are still there.
//
// In lexicographic order nothing is dominated by what comes later. With one component left to minimise the
// first of its kind stays, with two a running minimum decides; more need a look at what was kept.
template <int M, class Work>
void nondominated(CountedVector<Candidate<M>>& points, int equal, std::size_t done, Work&& work) {
    if (done == points.size()) return;
    sort_points<M>(points, done, work);
    constexpr std::size_t m = static_cast<std::size_t>(M);
    const std::size_t e = static_cast<std::size_t>(equal), free = m - e;
    // With nothing done before, what is kept can stand where it was read.
    CountedVector<Candidate<M>> copy(points.get_allocator());
    if (done > 0) copy.resize(points.size());
    Candidate<M>* kept = done > 0 ? copy.data() : points.data();
    std::size_t size = 0, group = 0;
    std::vector<std::size_t> fresh;  // positions of new ones, in the group at hand
    for (std::size_t a = 0, b = done; a < done || b < points.size();) {
        const bool old = b == points.size() || (a < done && !in_order<M, Candidate<M>>(points[b], points[a]));
        const Candidate<M> c = points[old ? a++ : b++];
        if (size == 0 || !std::equal(c.v.begin(), c.v.begin() + equal, kept[size - 1].v.begin())) {
            group = size;
            fresh.clear();
        } else if (free <= 1) {
            continue;
        } else if (free == 2) {
            if (c.v[m - 1] >= kept[size - 1].v[m - 1]) continue;
        } else {
            const auto covers = [&](const Candidate<M>& p) {
                for (std::size_t j = e + 1; j < m; ++j)
                    if (p.v[j] > c.v[j]) return false;
                return true;
            };
            bool dominated = false;
            if (old)
                for (std::size_t p = fresh.size(); p-- > 0 && !dominated;) dominated = covers(kept[fresh[p]]);
            else
                for (std::size_t p = size; p-- > group && !dominated;) dominated = covers(kept[p]);
            work(2.0 * static_cast<double>(old ? fresh.size() : size - group));
            if (dominated) continue;
        }
        if (!old && done > 0) fresh.push_back(size);
        kept[size++] = c;
    }
    if (done > 0) points.swap(copy);
    points.resize(size);
}

// What a search looks for where that is not every point that is not dominated.
template <int M>
class Goal {
public:
    virtual void take(const Candidate<M>& point) = 0;
    virtual void lower() {}  // after every split of the root

    // Nothing of a larger weighted cost is wanted, and nothing above the ceiling. What is found may lower
    // both.
    double threshold = 0;
    Vector<M> ceiling{};

protected:
    ~Goal() = default;
};

// Collects candidates of one node. Two minimised components in a small whole range are kept in a table of the
// best second value per first value; everything else in a list that is filtered whenever it has doubled.
template <int M>
class Accumulator {
public:
    using List = CountedVector<Candidate<M>>;
    explicit Accumulator(Control& control)
        : control_(control),
          list_(Counted<Candidate<M>>(control.ledger)),
          shadow_(control.ledger),
          table_(list_.get_allocator()),
          best_(Counted<double>(control.ledger)) {}

    // Wanted: scalar <= threshold and v <= ceiling. The first component lies in [low, high] (whole numbers).
    void begin(int equal, double threshold, const Vector<M>& ceiling, double low, double high,
               double expected) {
        equal_ = equal;
        goal_ = nullptr;
        lowers_ = false;
        threshold_ = threshold;
        ceiling_ = ceiling;
        bounded_ = tested_ = false;
        list_.clear();
        shadow_.clear();
        filtered_ = 0;
        limit_ = kFirst;
        dense_ = M == 2 && equal == 0 && high - low < 8192 && high - low < 4 * expected + 64;
        low_ = low;
        if (!dense_) return;
        const std::size_t size = static_cast<std::size_t>(high - low) + 1;
        best_.assign(size, std::numeric_limits<double>::infinity());
        table_.resize(size);
    }
    // Gives what is found to a goal, and keeps nothing.
    void seek(Goal<M>& goal) {
        begin(0, goal.threshold, goal.ceiling, 0, std::numeric_limits<double>::infinity(), 0);
        goal_ = &goal;
    }
    bool seeking() const { return goal_ != nullptr; }
    double threshold() const { return threshold_; }
    const Vector<M>& ceiling() const { return ceiling_; }
    // What is wanted, if that is known better than by the ceiling.
    const Corners<M>* corners() const { return bounded_ ? &corners_ : nullptr; }
    // `tested`: points are held against the corners, too.
    void bound(const Corners<M>& corners, const Vector<M>& lowest, bool tested) {
        corners_ = corners;
        lowest_ = lowest;
        bounded_ = true;
        tested_ = tested;
        if (tested) wanted_ = corners;
    }
    // Removes from the wanted region what the points found so far dominate.
    void narrow() {
        if (!bounded_) return;
        constexpr std::size_t kKnown = 32;  // more are grouped; 16 and 64 take as long
        std::vector<Vector<M>> known;
        for (const Candidate<M>& c : finish()) known.push_back(c.v);
        if (M > 2 && list_.size() >= kShort) shadow_.build(list_);
        members_of_groups<M>(known, kKnown);
        corners_.cover(known, lowest_);
    }
    // A point that is as low as anything can be in all components but one is better than all that lies above
    // it there. With this on, such points lower the ceiling whenever the search tidies up.
    void lower_ceiling(const Vector<M>& lowest) {
        lowest_ = lowest;
        lowers_ = true;
    }

    void add(const Candidate<M>& point) {
        const std::size_t cell = dense_
                                     ? static_cast<std::size_t>(static_cast<std::int64_t>(point.v[0] - low_))
                                     : 0;
        if (dense_ && point.v[M - 1] >= best_[cell]) return;
        if (point.scalar > threshold_) return;
        if (!below<M>(point.v, ceiling_)) return;
        if (M > 2 && !shadow_.empty() && shadow_.covers(point.v)) return;
        if (tested_ && !wanted_.admits(point.v)) return;
        if (dense_) {
            best_[cell] = point.v[M - 1];
            table_[cell] = point;
            return;
        }
        if (goal_ != nullptr) {
            goal_->take(point);
            follow();
            return;
        }
        if (M > 2 && equal_ == 0 && list_.size() < kShort && limit_ == kFirst) {
            insert(point);
            return;
        }
        list_.push_back(point);
        if (list_.size() > limit_) {
            filter();
            if (M > 2 && equal_ == 0) shadow_.build(list_);
        }
    }

    // The sums of one point and each of a list that is sorted by its first component, two components and no
    // budget.
    template <class Entry>
    void add_all(std::span<const Entry> others, const double base[2], std::int32_t feature,
                 std::int32_t left) {
        if constexpr (M == 2) {
            for (const Entry& r : others) {
                const double first = base[0] + r.first, second = base[1] + r.second;
                if (first > ceiling_[0]) break;
                if (!dense_) {
                    add({{first, second}, 0, feature, left, r.who});
                    continue;
                }
                const std::size_t cell = static_cast<std::size_t>(static_cast<std::int64_t>(first - low_));
                if (second >= best_[cell] || second > ceiling_[1]) continue;
                best_[cell] = second;
                table_[cell] = {{first, second}, 0, feature, left, r.who};
            }
        }
    }

    void filter() {
        nondominated<M>(list_, equal_, filtered_, [this](double amount) { control_.work(amount); });
        filtered_ = list_.size();
        limit_ = 2 * filtered_ + 4096;
    }

    // What has stayed, sorted.
    List& finish() {
        collect();
        if (!dense_) filter();
        return list_;
    }
    // The nondominated candidates when the search has ended early and the clock is no longer checked: where
    // comparing them would take long, the unfiltered ones are dropped.
    List& salvage() {
        constexpr std::size_t kMany = 8192;  // in pairs: 3.4e7 comparisons
        control_.ledger.lenient = true;
        collect();
        if (!dense_ && M - equal_ > 2 && list_.size() > kMany) list_.resize(filtered_, Candidate<M>{});
        if (!dense_) nondominated<M>(list_, equal_, filtered_, [](double) {});
        control_.ledger.lenient = false;
        return list_;
    }

    void references(std::vector<std::int32_t*>& out) {
        const auto put = [&out](Candidate<M>& c) {
            if (c.feature < 0) return;
            out.push_back(&c.left);
            out.push_back(&c.right);
        };
        for (std::size_t k = 0; !dense_ && k < list_.size(); ++k) put(list_[k]);
        for (std::size_t cell = 0; dense_ && cell < table_.size(); ++cell)
            if (best_[cell] < std::numeric_limits<double>::infinity()) put(table_[cell]);
    }
    // Lets what was found narrow what is wanted.
    void lower() {
        if (goal_ != nullptr) {
            goal_->lower();
            follow();
        }
        if (!lowers_) return;
        for (const Candidate<M>& c : finish()) {
            std::size_t above = 0, which = 0;
            for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) {
                if (c.v[j] <= lowest_[j]) continue;
                ++above;
                which = j;
            }
            if (above <= 1) ceiling_[which] = std::min(ceiling_[which], c.v[which] - 1);
        }
    }

private:
    void follow() {
        threshold_ = goal_->threshold;
        ceiling_ = goal_->ceiling;
    }
    // A short list is compared with every new point at once. What has covered one is likely to cover the
    // next, and comes first.
    void insert(const Candidate<M>& point) {
        for (std::size_t k = 0; k < list_.size(); ++k) {
            if (!below<M>(list_[k].v, point.v)) continue;
            if (k > 0) std::swap(list_[k], list_[k / 2]);
            return;
        }
        std::size_t kept = 0;
        for (std::size_t k = 0; k < list_.size(); ++k) {
            if (below<M>(point.v, list_[k].v)) continue;
            if (kept != k) list_[kept] = list_[k];
            ++kept;
        }
        list_.resize(kept, point);
        list_.push_back(point);
    }

    void collect() {
        if (!dense_) return;
        list_.clear();
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t cell = 0; cell < best_.size(); ++cell) {
            if (best_[cell] >= least) continue;
            least = best_[cell];
            list_.push_back(table_[cell]);
        }
    }

    Control& control_;
    int equal_ = 0;
    Goal<M>* goal_ = nullptr;
    bool dense_ = false;
    double threshold_ = 0, low_ = 0;
    Vector<M> ceiling_{}, lowest_{};
    bool lowers_ = false, bounded_ = false, tested_ = false;
    Corners<M> wanted_, corners_;  // as given, and less what was found
    // Lists of fewer points have no shadow, and are first filtered when they have so many.
    // With 16 and 256, and with 1,024 and 16,384, eight fronts take 0.98 to 1.05 of the time.
    static constexpr std::size_t kShort = 64, kFirst = 4096;
    std::size_t limit_ = kFirst, filtered_ = 0;  // the first ones are sorted and do not dominate each other
    List list_;
    Shadow<M> shadow_;
    List table_;
    CountedVector<double> best_;  // second components of the table
};

}  // namespace streed
