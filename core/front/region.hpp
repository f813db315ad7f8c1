// What a front search of two components looks for in one region: everything that known points do not
// dominate.
#pragma once

#include <limits>
#include <map>
#include <vector>

#include "front/scalar/goals.hpp"

namespace streed {

// Nondominated points of two components with their trees, by the first component. Coordinates are relative to
// the origin.
class Staircase {
public:
    struct Step {
        double second;
        Tree tree;
    };

    // Whether no known point is at least as good.
    bool wants(double first, double second) const {
        auto above = steps_.upper_bound(first);
        return above == steps_.begin() || std::prev(above)->second.second > second;
    }
    void insert(double first, double second, Tree tree) {
        auto it = steps_.lower_bound(first);
        while (it != steps_.end() && it->second.second >= second) it = steps_.erase(it);
        steps_.insert_or_assign(first, Step{second, std::move(tree)});
    }
    const std::map<double, Step>& steps() const { return steps_; }

    // The largest a * first + b * second of a whole point within the ceiling that no known point dominates.
    double reach(double a, double b, double first_ceiling, double second_ceiling) const {
        double best = -std::numeric_limits<double>::infinity(), second = second_ceiling;
        for (const auto& [first, step] : steps_) {
            if (first > first_ceiling) break;
            if (step.second > second) continue;
            best = std::max(best, a * (first - 1) + b * second);
            second = step.second - 1;
        }
        return std::max(best, a * first_ceiling + b * second);
    }

private:
    std::map<double, Step> steps_;
};

// The goal of a guided search below a ceiling; every new point narrows the rest of the search.
class RegionGoal final : public Goal<2> {
public:
    RegionGoal(Staircase& known, const std::vector<double>& weights, const Vector<2>& the_ceiling,
               double slack, const Arena& arena)
        : known_(known), weights_(weights), slack_(slack), arena_(arena) {
        ceiling = the_ceiling;
        lower();
    }
    void take(const Candidate<2>& c) override {
        if (!known_.wants(c.v[0], c.v[1])) return;
        known_.insert(c.v[0], c.v[1], unfolded<2>(c, arena_));
        changed_ = true;
    }
    void lower() override {
        if (changed_) threshold = known_.reach(weights_[0], weights_[1], ceiling[0], ceiling[1]) + slack_;
        changed_ = false;
    }

private:
    Staircase& known_;
    const std::vector<double>& weights_;
    double slack_;
    bool changed_ = true;
    const Arena& arena_;
};

}  // namespace streed
