// What the root of a constrained search looks for: a point within all limits, or one that breaks them least.
#pragma once

#include <limits>
#include <vector>

#include "front/points/points.hpp"

namespace streed {

// Limits in the search's own coordinates. -inf and inf stand for none.
template <int M>
struct Limits {
    Vector<M> low, high;
    bool met(const Vector<M>& v) const {
        for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j)
            if (v[j] < low[j] || v[j] > high[j]) return false;
        return true;
    }
    // The largest weights . v within the limits.
    double reach(const std::vector<double>& weights) const {
        double sum = 0;
        for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j)
            if (weights[j] != 0) sum += weights[j] * (weights[j] > 0 ? high[j] : low[j]);
        return sum;
    }
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

// The point of least objective within the limits and at most `most`; every hit narrows the rest of the
// search.
template <int M>
class LeastPoint {
public:
    LeastPoint(const Limits<M>& limits, const std::vector<double>& weights, int objective, double most,
               double slack, const Arena& arena)
        : limits_(limits),
          weight_(weights[static_cast<std::size_t>(objective)]),
          objective_(static_cast<std::size_t>(objective)),
          arena_(arena) {
        std::vector<double> others = weights;
        others[objective_] = 0;
        reach_ = limits.reach(others) + slack;
        limits_.high[objective_] = most;
    }
    double threshold() const { return reach_ + weight_ * limits_.high[objective_]; }
    const Vector<M>& ceiling() const { return limits_.high; }
    void add(const Candidate<M>& c) {
        if (!limits_.met(c.v)) return;
        limits_.high[objective_] = c.v[objective_] - 1;
        tree = unfolded<M>(c, arena_);
    }
    template <class Searcher>
    void tidy(Searcher& search, std::size_t mark) {
        search.arena.keep(mark, {});
    }
    Tree tree;

private:
    Limits<M> limits_;
    double weight_;
    std::size_t objective_;
    double reach_;
    const Arena& arena_;
};

// How far a point is outside the limits, in the units of the problem.
template <int M>
double violation(const Limits<M>& limits, const std::vector<double>& grain, const Vector<M>& v) {
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j)
        sum += grain[j] * std::max({0.0, limits.low[j] - v[j], v[j] - limits.high[j]});
    return sum;
}

// The point that breaks the limits least. With |weights[j]| <= grain[j] a violation of at most u means
// weights . v <= reach + u.
template <int M>
class LeastViolation {
public:
    LeastViolation(const Limits<M>& limits, const std::vector<double>& weights,
                   const std::vector<double>& grain, double most, double slack, const Arena& arena)
        : limits_(limits), grain_(grain), best_(most), reach_(limits.reach(weights) + slack), arena_(arena) {
        ceiling_.fill(std::numeric_limits<double>::infinity());
    }
    double threshold() const { return reach_ + best_; }
    const Vector<M>& ceiling() const { return ceiling_; }
    void add(const Candidate<M>& c) {
        const double broken = violation<M>(limits_, grain_, c.v);
        if (broken >= best_) return;
        best_ = broken;
        tree = unfolded<M>(c, arena_);
    }
    template <class Searcher>
    void tidy(Searcher& search, std::size_t mark) {
        search.arena.keep(mark, {});
    }
    Tree tree;

private:
    Limits<M> limits_;
    std::vector<double> grain_;
    double best_, reach_;
    Vector<M> ceiling_;
    const Arena& arena_;
};

}  // namespace streed
