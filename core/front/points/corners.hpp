// The upper bound set of a node, kept as its reverse front: a set of corners. A vector is wanted if it is at
// most as large as one of them.
//
// This is the upper bound of the paper (a set of known points that nothing wanted may be dominated by), seen
// from the other side: the corners are its reverse front. In that form subtracting what one side of a split
// costs is subtracting from every corner. Sets are kept small by representatives that stand for several
// corners (the largest of each component) or for several points (the least of each): the set of wanted
// vectors only grows by that.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace streed {

template <int M>
using Vector = std::array<double, static_cast<std::size_t>(M)>;

template <int M>
bool below(const Vector<M>& a, const Vector<M>& b) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j)
        if (a[j] > b[j]) return false;
    return true;
}

// Parts a list into at most `most` groups of neighbours, and puts what `one` makes of each group in its
// place. Parts are halved where they are widest, compared with the whole list.
template <int M, class One>
void group(std::vector<Vector<M>>& list, std::size_t most, One&& one) {
    using It = typename std::vector<Vector<M>>::iterator;
    constexpr std::size_t m = static_cast<std::size_t>(M);
    if (list.size() <= most) return;
    const auto widths = [](It from, It to) {
        Vector<M> low = *from, high = *from;
        for (It p = from; p != to; ++p)
            for (std::size_t j = 0; j < m; ++j) {
                low[j] = std::min(low[j], (*p)[j]);
                high[j] = std::max(high[j], (*p)[j]);
            }
        for (std::size_t j = 0; j < m; ++j) high[j] -= low[j];
        return high;
    };
    const Vector<M> whole = widths(list.begin(), list.end());
    std::vector<Vector<M>> out;
    const auto part = [&](const auto& self, It from, It to, std::size_t groups) -> void {
        if (groups == 1 || to - from == 1) {
            out.push_back(one(from, to));
            return;
        }
        const Vector<M> own = widths(from, to);
        std::size_t axis = 0;
        for (std::size_t j = 1; j < m; ++j)
            if (own[j] * whole[axis] > own[axis] * whole[j]) axis = j;
        const It middle = from + (to - from) / 2;
        std::nth_element(from, middle, to,
                         [axis](const Vector<M>& a, const Vector<M>& b) { return a[axis] < b[axis]; });
        self(self, from, middle, groups / 2);
        self(self, middle, to, groups - groups / 2);
    };
    part(part, list.begin(), list.end(), most);
    list.swap(out);
}

// One vector per group: the largest of each component, the least of each, or a member in the middle.
template <int M, class Pick>
void joined_groups(std::vector<Vector<M>>& list, std::size_t most, Pick&& pick) {
    group<M>(list, most, [&pick](auto from, auto to) {
        Vector<M> one = *from;
        for (; from != to; ++from)
            for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) one[j] = pick(one[j], (*from)[j]);
        return one;
    });
}
template <int M>
void largest_of_groups(std::vector<Vector<M>>& list, std::size_t most) {
    joined_groups<M>(list, most, [](double a, double b) { return std::max(a, b); });
}
template <int M>
void least_of_groups(std::vector<Vector<M>>& list, std::size_t most) {
    joined_groups<M>(list, most, [](double a, double b) { return std::min(a, b); });
}
template <int M>
void members_of_groups(std::vector<Vector<M>>& list, std::size_t most) {
    group<M>(list, most, [](auto from, auto to) { return *(from + (to - from) / 2); });
}

template <int M>
class Corners {
public:
    static constexpr std::size_t kMost = 24;  // more are grouped; 12 and 48 take 1.00 and 1.02 of the time

    Corners() = default;
    explicit Corners(std::vector<Vector<M>> corners) : corners_(std::move(corners)) {}
    bool none() const { return corners_.empty(); }
    bool admits(const Vector<M>& v) const {
        if (last_ < corners_.size() && below<M>(v, corners_[last_])) return true;
        for (std::size_t k = 0; k < corners_.size(); ++k)
            if (below<M>(v, corners_[k])) {
                last_ = k;
                return true;
            }
        return false;
    }

    // Takes away what the known points cover: of every corner above one of them, M smaller ones remain.
    // Nothing is below `lowest`.
    void cover(const std::vector<Vector<M>>& known, const Vector<M>& lowest) {
        constexpr std::size_t kGrown = 512 / static_cast<std::size_t>(
                                                 M);  // the next point may take M times as many
        std::vector<Vector<M>> added;
        for (const Vector<M>& p : known) {
            added.clear();
            std::size_t kept = 0;
            for (std::size_t k = 0; k < corners_.size(); ++k) {
                if (!below<M>(p, corners_[k])) {
                    corners_[kept++] = corners_[k];
                    continue;
                }
                for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) {
                    if (p[j] - 1 < lowest[j]) continue;
                    added.push_back(corners_[k]);
                    added.back()[j] = p[j] - 1;
                }
            }
            corners_.resize(kept);
            for (std::size_t k = 0; k < added.size(); ++k) {
                bool useless = false;
                for (std::size_t i = 0; i < kept && !useless; ++i) useless = below<M>(added[k], corners_[i]);
                for (std::size_t i = 0; i < added.size() && !useless; ++i)
                    useless = i != k && below<M>(added[k], added[i]) && (i < k || added[i] != added[k]);
                if (!useless) corners_.push_back(added[k]);
            }
            if (corners_.size() > kGrown) break;
        }
        largest_of_groups<M>(corners_, kMost);
    }

    // What is wanted of one side of a split if the other side costs one of `others` or more, and the
    // branching node what it costs.
    void subtract(const Corners& from, const std::vector<Vector<M>>& others, const Vector<M>& branch,
                  const Vector<M>& lowest) {
        corners_.clear();
        for (const Vector<M>& c : from.corners_)
            for (const Vector<M>& v : others) {
                Vector<M> rest;
                bool possible = true;
                for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) {
                    rest[j] = c[j] - v[j] - branch[j];
                    possible = possible && rest[j] >= lowest[j];
                }
                if (possible) corners_.push_back(rest);
            }
        maximal();
        largest_of_groups<M>(corners_, kMost);
    }

private:
    std::vector<Vector<M>> corners_;
    mutable std::size_t last_ = 0;  // the next vector is likely to be below the same corner

    // Forgets corners that are below others.
    void maximal() {
        std::sort(corners_.begin(), corners_.end(), std::greater<>());
        std::size_t kept = 0;
        for (std::size_t k = 0; k < corners_.size(); ++k) {
            bool useless = false;
            for (std::size_t i = 0; i < kept && !useless; ++i) useless = below<M>(corners_[k], corners_[i]);
            if (!useless) corners_[kept++] = corners_[k];
        }
        corners_.resize(kept);
    }
};

}  // namespace streed
