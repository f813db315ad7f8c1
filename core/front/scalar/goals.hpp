// What the root of a constrained search looks for: a point within all limits, or one that breaks them least.
#pragma once

#include <limits>
#include <vector>

#include "front/points/points.hpp"

namespace streed {

// Limits in the search's own coordinates. -inf and inf stand for none.
template <int M>
struct Limits {
    Limits(const std::vector<double>& lows, const std::vector<double>& highs,
           const std::vector<double>& origin) {
        for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) {
            low[j] = lows[j] - origin[j];
            high[j] = highs[j] - origin[j];
        }
    }
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

// The point of least objective within the limits and at most `most`; every hit narrows the rest of the
// search.
template <int M>
class LeastPoint final : public Goal<M> {
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
        narrow(most);
    }
    void take(const Candidate<M>& c) override {
        if (!limits_.met(c.v)) return;
        narrow(c.v[objective_] - 1);
        tree = unfolded<M>(c, arena_);
    }
    Tree tree;

private:
    void narrow(double most) {
        limits_.high[objective_] = most;
        this->ceiling = limits_.high;
        this->threshold = reach_ + weight_ * most;
    }
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
class LeastViolation final : public Goal<M> {
public:
    LeastViolation(const Limits<M>& limits, const std::vector<double>& weights,
                   const std::vector<double>& grain, double most, double slack, const Arena& arena)
        : limits_(limits), grain_(grain), best_(most), reach_(limits.reach(weights) + slack), arena_(arena) {
        this->ceiling.fill(std::numeric_limits<double>::infinity());
        this->threshold = reach_ + best_;
    }
    void take(const Candidate<M>& c) override {
        const double broken = violation<M>(limits_, grain_, c.v);
        if (broken >= best_) return;
        best_ = broken;
        this->threshold = reach_ + best_;
        tree = unfolded<M>(c, arena_);
    }
    Tree tree;

private:
    Limits<M> limits_;
    std::vector<double> grain_;
    double best_, reach_;
    const Arena& arena_;
};

}  // namespace streed
