// The best tree under limits: multipliers for the bound, a budgeted front to close the gap.
//
// With multipliers lambda one scalar search proves objective >= L(lambda) - (the most that lambda . v can be
// within the limits). A tree within the limits and of objective at most T has a weighted cost of at most a
// known budget, so the front search under that budget either finds it or proves that there is none; T grows
// from the bound. Depths are solved in turn: the small ones are cheap and give the multipliers and the
// incumbent of the next. Where trees are known from a search with another objective they do that instead.
#include <algorithm>
#include <cmath>
#include <memory>

#include "front/extremes.hpp"
#include "front/points/sizes.hpp"
#include "front/scalar/goals.hpp"
#include "front/scalar/multipliers.hpp"
#include "front/search/search.hpp"
#include "front/trees.hpp"
#include "kernels/dispatch.hpp"

namespace streed {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The components in the order of the search: those with two limits, then the objective, then those with one.
struct Plan {
    std::vector<Component> components;
    std::vector<double> low, high;  // in the units of the problem
    int objective = 0;
};

Plan make_plan(const std::vector<double>& lower, const std::vector<double>& upper) {
    Plan plan;
    const auto add = [&](int source, double sign, double low, double high) {
        plan.components.push_back({source, sign});
        plan.low.push_back(low);
        plan.high.push_back(high);
    };
    for (std::size_t j = 0; j < lower.size(); ++j)
        if (std::isfinite(lower[j]) && std::isfinite(upper[j]))
            add(static_cast<int>(j) + 1, 1, lower[j], upper[j]);
    plan.objective = static_cast<int>(plan.components.size());
    add(0, 1, -kInfinity, kInfinity);
    for (std::size_t j = 0; j < lower.size(); ++j) {
        if (std::isfinite(lower[j]) == std::isfinite(upper[j])) continue;
        const bool above = std::isfinite(upper[j]);
        add(static_cast<int>(j) + 1, above ? 1 : -1, -kInfinity, above ? upper[j] : -lower[j]);
    }
    return plan;
}

class ConstrainedSearch {
public:
    ConstrainedSearch(const VectorProblem& problem, const Plan& plan, const ConstrainedStart& start,
                      Control& control)
        : problem_(problem),
          start_(start),
          control_(control),
          kernels_(select_kernels(control.options.simd)),
          components_(padded(plan.components)),
          rows_(problem, components_, control.options),
          objective_(plan.objective),
          two_sided_(plan.objective) {
        control.ledger.keep(rows_.bytes());
        low_.assign(size(), -kInfinity);
        high_.assign(size(), kInfinity);
        exact_low_ = low_;
        exact_high_ = high_;
        // On a grid a sum may be off by half a grain per row; a tree exactly on the limit is within it.
        // So may every price on a path.
        const double roundings = rows_.tests.any() ? 1 + control.options.max_depth : 1;
        const auto play_of = [&](std::size_t j) {
            return rows_.grain[j] == 1 ? 0 : roundings * static_cast<double>(problem.n_rows) / 2 + 1;
        };
        wanted_ = std::ceil(start.cutoff / rows_.grain[obj()] + play_of(obj()));
        for (std::size_t j = 0; j < plan.components.size(); ++j) {
            const double play = play_of(j);
            exact_low_[j] = plan.low[j] / rows_.grain[j] - play;
            exact_high_[j] = plan.high[j] / rows_.grain[j] + play;
            low_[j] = std::ceil(exact_low_[j]);
            high_[j] = std::floor(exact_high_[j]);
        }
        weights_.assign(size(), 0);
        weights_[obj()] = 1;
        // Equal rows get the same label in every tree.
        lower_bound_ = std::min(0.0, rows_.branch[obj()] * static_cast<double>(rows_.n_rows));
        for (std::size_t r = 0; r < rows_.n_merged; ++r) {
            double least = kInfinity;
            for (int label = 0; label < rows_.n_labels; ++label)
                least = std::min(least, rows_.cost(r, label, objective_));
            lower_bound_ += least;
        }
    }

    // `known`: a bound on the objective that was proven in another way.
    ConstrainedResult run(double known = -kInfinity);

private:
    using Point = std::vector<double>;
    enum class Verdict { open, closed };

    static std::vector<Component> padded(std::vector<Component> components) {
        components.resize(static_cast<std::size_t>(padded_size(static_cast<int>(components.size()))));
        return components;
    }
    std::size_t size() const { return components_.size(); }
    std::size_t obj() const { return static_cast<std::size_t>(objective_); }
    bool constrained() const {
        for (std::size_t j = 0; j < size(); ++j)
            if (std::isfinite(low_[j]) || std::isfinite(high_[j])) return true;
        return false;
    }
    double weigh(const Point& weights, const Point& v) const {
        double sum = 0;
        for (std::size_t j = 0; j < size(); ++j) sum += weights[j] * v[j];
        return sum;
    }
    double reach(const Point& weights, const Point& low, const Point& high) const {
        double sum = 0;
        for (std::size_t j = 0; j < size(); ++j)
            if (weights[j] != 0 && j != obj()) sum += weights[j] * (weights[j] > 0 ? high[j] : low[j]);
        return sum;
    }
    double violation_of(const Point& v) const {
        double sum = 0;
        for (std::size_t j = 0; j < size(); ++j)
            sum += rows_.grain[j] * std::max({0.0, exact_low_[j] - v[j], v[j] - exact_high_[j]});
        return sum;
    }
    // Only trees of less objective than that, in grains, are searched for.
    double end() const { return incumbent_.empty() ? wanted_ : std::min(wanted_, best_[obj()]); }
    bool solved(double bound) const { return bound >= end(); }

    void offer(Tree tree, const Point& weights);
    bool begin();
    void end_with(ConstrainedResult& result) const;
    double ask(Scalar& scalar, int depth, int nodes);
    bool look_for_feasible(int depth, int nodes);
    Verdict stage(int depth, int nodes, bool last);
    Verdict climb(int depth, int nodes, bool last, double& bound);
    template <int M>
    Tree least_point(Scalar& guide, int depth, int nodes, double most);
    template <int M>
    Tree least_violation(const Rows& rows, Scalar* guide, int depth, int nodes);
    Verdict close(Scalar& scalar, int depth, int nodes, double& bound, double work);
    void solve_depth(int depth, int nodes, bool last, ConstrainedResult& result);
    void find_closest(int depth, int nodes, ConstrainedResult& result);

    const VectorProblem& problem_;
    const ConstrainedStart& start_;
    Control& control_;
    const Kernels& kernels_;
    std::vector<Component> components_;
    Rows rows_;
    int objective_, two_sided_;
    Point exact_low_, exact_high_;  // of the values of whole trees, as given
    Point low_, high_;              // the same for values that are whole numbers of grains
    Point weights_;                 // the multipliers to start from
    std::vector<Point> points_;
    std::vector<Tree> trees_;  // of the points
    Tree least_broken_;        // the known tree of least violation
    Point breaking_;           // weights that prove a violation
    double broken_ = kInfinity, proven_broken_ = 0;
    double asked_ = -kInfinity;  // proven least weighted sum of the scalar search under way
    bool impossible_ = false;    // proven for the depth at hand
    double wanted_ = kInfinity;  // the cutoff in grains
    bool exhausted_ = false;     // nothing below the cutoff is left
    Tree incumbent_;
    Point best_;
    double lower_bound_ = -kInfinity;
    double scalar_searches_ = 0, closing_searches_ = 0, depth_two_solves_ = 0;
};

// Takes a tree into the known points, and as the incumbent if it is the best within the limits.
void ConstrainedSearch::offer(Tree tree, const Point& weights) {
    const Point v = rows_.evaluate(tree, weights);
    if (std::find(points_.begin(), points_.end(), v) == points_.end()) {
        points_.push_back(v);
        trees_.push_back(tree);
    }
    const double broken = violation_of(v);
    if (least_broken_.empty() || broken < broken_) {  // it may be infinite
        broken_ = broken;
        least_broken_ = tree;
    }
    if (broken == 0 && (incumbent_.empty() || v[obj()] < best_[obj()])) {
        incumbent_ = std::move(tree);
        best_ = v;
        control_.objective = v[obj()] * rows_.grain[obj()];
    }
}

// One scalar search; returns the proven least weighted sum.
double ConstrainedSearch::ask(Scalar& scalar, int depth, int nodes) {
    double upper = kInfinity;
    for (const Point& p : points_) upper = std::min(upper, weigh(scalar.weights, p));
    ++scalar_searches_;
    const double before = scalar.solves();
    asked_ = -kInfinity;
    Outcome outcome{};
    try {
        outcome = scalar.solve(depth, nodes, upper);
    } catch (const Stopped&) {
        asked_ = scalar.proven();
        throw;
    }
    asked_ = outcome.lower;
    depth_two_solves_ += scalar.solves() - before;
    if (outcome.exact) offer(scalar.tree(depth, nodes), scalar.weights);
    return outcome.lower;
}

// Lowers the violation of the known points by scalar searches. True if something within the limits is known
// in the end.
bool ConstrainedSearch::look_for_feasible(int depth, int nodes) {
    Point start(size(), 0);
    for (int step = 0; step < 20 && incumbent_.empty(); ++step) {
        double dual_bound = 0;
        Point weights = best_multipliers(points_, -1, exact_low_, exact_high_, rows_.grain, start,
                                         dual_bound);
        if (dual_bound <= 0) return false;  // no multipliers can prove that every tree breaks a limit
        Scalar scalar(rows_, weights, control_, kernels_);
        const double least = ask(scalar, depth, nodes);
        const double proven = least - reach(weights, exact_low_, exact_high_);
        impossible_ = impossible_ || least - reach(weights, low_, high_) > 0;
        if (proven > proven_broken_) {
            proven_broken_ = proven;
            breaking_ = weights;
        }
        if (proven >= dual_bound - 1e-9 * std::abs(dual_bound)) break;
        start = weights;
    }
    return !incumbent_.empty();
}

template <int M>
Tree ConstrainedSearch::least_point(Scalar& guide, int depth, int nodes, double most) {
    FrontSearch<M> search(rows_, kernels_, control_, &guide, two_sided_);
    const Limits<M> limits(low_, high_, rows_.origin);
    LeastPoint<M> goal(limits, guide.weights, objective_, most, guide.slack(), search.arena);
    Accumulator<M> points(control_);
    points.seek(goal);
    search.run(depth, nodes, points);
    return goal.tree;
}

template <int M>
Tree ConstrainedSearch::least_violation(const Rows& rows, Scalar* guide, int depth, int nodes) {
    FrontSearch<M> search(rows, kernels_, control_, guide, two_sided_);
    const Limits<M> limits(exact_low_, exact_high_, rows_.origin);
    LeastViolation<M> goal(limits, guide != nullptr ? breaking_ : Point(size(), 0), rows.grain, broken_,
                           guide != nullptr ? 4 * guide->slack() : 0, search.arena);
    Accumulator<M> points(control_);
    points.seek(goal);
    search.run(depth, nodes, points);
    return goal.tree;
}

// Searches for a tree within the limits, T growing from the bound. Closed: the incumbent is optimal for this
// depth (or nothing is feasible).
ConstrainedSearch::Verdict ConstrainedSearch::close(Scalar& scalar, int depth, int nodes, double& bound,
                                                    double work) {
    double step = 1;
    double most = bound;
    ++closing_searches_;
    if (std::isfinite(work)) {
        control_.cap_work(work);
        control_.cap_time(control_.deadline);
    }
    try {
        while (!solved(bound)) {
            const double last = std::min(rows_.most[obj()], end() - 1);
            if (bound > last) break;
            if (rows_.grain[obj()] != 1) step = std::max(step, std::floor((last - bound) / 64));
            most = std::min(most, last);
            Tree found = with_size(rows_.n_values, [&]<int M>() {
                return least_point<M>(scalar, depth, nodes, most - rows_.origin[obj()]);
            });
            bound = most + 1;
            if (!found.empty()) {
                offer(std::move(found), scalar.weights);
                bound = best_[obj()];
            }
            most = bound + step;
            step *= 2;
        }
        control_.lift_cap();
        return Verdict::closed;
    } catch (const OutOfWork&) {
        control_.lift_cap();
        scalar.restart();
        return Verdict::open;
    }
}

// One depth. At the last one everything that is proven counts, also when the search ends early.
ConstrainedSearch::Verdict ConstrainedSearch::stage(int depth, int nodes, bool last) {
    double bound = lower_bound_;
    const auto settle = [&] {
        if (asked_ > -kInfinity)
            bound = std::max(bound, std::ceil(asked_ - reach(weights_, low_, high_) - 1e-9));
        if (last) lower_bound_ = std::max(lower_bound_, bound);
    };
    asked_ = -kInfinity;
    try {
        const Verdict verdict = climb(depth, nodes, last, bound);
        asked_ = -kInfinity;
        settle();
        return verdict;
    } catch (const Stopped&) {
        settle();
        throw;
    }
}

// Multipliers by turns with attempts to close the gap; in the end the gap is closed with the best ones.
ConstrainedSearch::Verdict ConstrainedSearch::climb(int depth, int nodes, bool last, double& bound) {
    double best_dual = -kInfinity;
    const double features = static_cast<double>(rows_.features.size());
    std::unique_ptr<Scalar> guide;
    for (int step = 0; step < 40; ++step) {
        auto scalar = std::make_unique<Scalar>(rows_, weights_, control_, kernels_);
        const double before = depth_two_solves_;
        const double dual = ask(*scalar, depth, nodes) - reach(weights_, low_, high_);
        asked_ = -kInfinity;
        bound = std::max(bound, std::ceil(dual - 1e-9));
        if (last) control_.lower_bound = bound * rows_.grain[obj()];
        if (solved(bound)) return Verdict::closed;
        double dual_bound = 0;
        const Point next = best_multipliers(points_, objective_, low_, high_, Point(size(), kInfinity),
                                            weights_, dual_bound);
        const bool better = dual > best_dual;
        if (better) {
            best_dual = dual;
            guide = std::move(scalar);
        }
        const bool settled = next == weights_ || dual_bound <= best_dual + 1e-9 * std::abs(best_dual);
        if (settled || step == 39) break;
        if (better) {
            const double work = (depth_two_solves_ - before) * static_cast<double>(rows_.n_merged) *
                                features * features / 64;
            // A front search of a third of the work so far may close the gap at once. With a tenth
            // german-credit takes 2.6 times as long at depth 4, communities 0.5; with all of it communities
            // takes 2.4 times.
            if (close(*guide, depth, nodes, bound, std::max(1e6, 0.3 * work)) == Verdict::closed)
                return Verdict::closed;
        }
        weights_ = next;
    }
    weights_ = guide->weights;
    return close(*guide, depth, nodes, bound, last ? kInfinity : 3e8);
}

// A tree within the limits first, if none is known, then the best one.
void ConstrainedSearch::solve_depth(int depth, int nodes, bool last, ConstrainedResult& result) {
    if (incumbent_.empty()) {
        proven_broken_ = 0;
        impossible_ = false;
        look_for_feasible(depth, nodes);
        if (impossible_ && incumbent_.empty()) {
            if (last) result.feasible = false;
            return;
        }
    }
    const Verdict verdict = stage(depth, nodes, last);
    if (!last || verdict != Verdict::closed) return;
    exhausted_ = wanted_ < kInfinity;
    if (!incumbent_.empty() || !exhausted_) result.feasible = !incumbent_.empty();
    result.optimal = !incumbent_.empty() && best_[obj()] <= wanted_;
}

// No tree is feasible: finds the least violation, among known trees or by a search over the constrained
// components alone.
void ConstrainedSearch::find_closest(int depth, int nodes, ConstrainedResult& result) {
    Tree closest = least_broken_;
    if (proven_broken_ < broken_ * (1 - 1e-12)) {
        std::vector<Component> components = components_;
        components[obj()].source = -1;
        const Rows rows(problem_, components, control_.options);
        std::unique_ptr<Scalar> scalar;
        if (!breaking_.empty()) scalar = std::make_unique<Scalar>(rows, breaking_, control_, kernels_);
        Tree found = with_size(rows.n_values,
                               [&]<int M>() { return least_violation<M>(rows, scalar.get(), depth, nodes); });
        if (!found.empty()) closest = std::move(found);
    }
    result.closest_tree = finished_tree(closest, rows_);
    const Point values = tree_values(problem_, result.closest_tree);
    result.closest.assign(values.begin() + 1, values.end());
}

// Constant trees and what is known; whether there is a tree within the limits that is not constant, so that
// smaller depths have nothing to tell.
bool ConstrainedSearch::begin() {
    for (int label = 0; label < rows_.n_labels; ++label) offer(Tree{{-1, -1, -1, label}}, weights_);
    const std::size_t constant = points_.size();
    for (const Tree& tree : start_.trees)
        if (std::optional<Tree> kept = kept_tree(tree, rows_, control_.options))
            offer(std::move(*kept), weights_);
    double unused = 0;
    // Where rows are counted by kind, a search without multipliers takes a fraction of the time of one with
    // them, and comes first: with multipliers first MCC with equal opportunity took 34 ms on german-credit,
    // not 6.
    if (points_.size() > constant && !Scalar::has_cells(rows_, control_.options))
        weights_ = best_multipliers(points_, objective_, low_, high_, Point(size(), kInfinity), weights_,
                                    unused);
    for (std::size_t j = 0; j < size() && !start_.multipliers.empty(); ++j) {
        if (j == obj() || components_[j].source <= 0) continue;
        const double given = start_.multipliers[static_cast<std::size_t>(components_[j].source) - 1] *
                             components_[j].sign * rows_.grain[j] / rows_.grain[obj()];
        weights_[j] = std::clamp(given, std::isfinite(low_[j]) ? -kInfinity : 0.0,
                                 std::isfinite(high_[j]) ? kInfinity : 0.0);
    }
    return points_.size() > constant && !incumbent_.empty();
}

ConstrainedResult ConstrainedSearch::run(double known) {
    ConstrainedResult result;
    int depth = control_.options.max_depth;
    int nodes = control_.options.max_nodes;
    normalise(depth, nodes);
    if (rows_.grain[obj()] == 1) lower_bound_ = std::max(lower_bound_, known);
    try {
        const int first = begin() ? depth : std::min(depth, 2);
        control_.checkpoint();
        for (int d = first; d <= depth; ++d) {
            int dd = d, n = nodes;
            normalise(dd, n);
            const bool last = d == depth;
            control_.spend(last ? 1 : 0.5);  // a smaller depth may not take all the time
            try {
                solve_depth(dd, n, last, result);
            } catch (const Stopped&) {
                if (last || control_.over()) throw;
            }
        }
        if (result.feasible == false) find_closest(depth, nodes, result);
    } catch (const Stopped&) {
        if (control_.status == Status::optimal)
            control_.status = control_.elapsed() > control_.options.time_limit ? Status::time_limit
                                                                               : Status::interrupted;
        result.status = control_.status;
    }
    end_with(result);
    result.statistics = {{"scalar_searches", scalar_searches_},
                         {"closing_searches", closing_searches_},
                         {"depth_two_solves", depth_two_solves_},
                         {"known_points", static_cast<double>(points_.size())},
                         {"front_work", control_.work_done()},
                         {"rows_merged", static_cast<double>(rows_.n_merged)},
                         {"features_kept", static_cast<double>(rows_.features.size())},
                         {"peak_memory", static_cast<double>(control_.ledger.peak())}};
    result.seconds = control_.elapsed();
    return result;
}

// What was found and proven, in the units and features of the problem.
void ConstrainedSearch::end_with(ConstrainedResult& result) const {
    const double grain = rows_.grain[obj()];
    result.lower_bound = std::max(lower_bound_ * grain, exhausted_ ? start_.cutoff : -kInfinity);
    if (result.feasible == false) result.lower_bound = kInfinity;
    if (!incumbent_.empty()) {
        result.feasible = true;
        result.tree = finished_tree(incumbent_, rows_);
        result.values = tree_values(problem_, result.tree);
        result.lower_bound = result.optimal ? result.values[0]
                                            : std::min(result.values[0], result.lower_bound);
    }
    result.multipliers.assign(static_cast<std::size_t>(problem_.n_values) - 1, 0);
    for (std::size_t j = 0; j < size(); ++j)
        if (j != obj() && components_[j].source > 0)
            result.multipliers[static_cast<std::size_t>(components_[j].source) - 1] += components_[j].sign *
                                                                                       weights_[j] * grain /
                                                                                       rows_.grain[j];
    // Trees that cost least under the multipliers are those between which other multipliers choose.
    constexpr std::size_t kMostKnown = 24;
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t p = 0; p < points_.size(); ++p)
        if (trees_[p].size() > 1) order.emplace_back(weigh(weights_, points_[p]), p);
    std::sort(order.begin(), order.end());
    if (order.size() > kMostKnown) order.resize(kMostKnown);
    for (const auto& [cost, p] : order) result.known.push_back(finished_tree(trees_[p], rows_));
}

ConstrainedResult solve_within(const VectorProblem& problem, const std::vector<double>& lower,
                               const std::vector<double>& upper, const ConstrainedStart& start,
                               Control& control) {
    ConstrainedResult extremes;
    double known = -kInfinity;
    const auto within = [&](const VectorProblem& part, const std::vector<double>& low,
                            const std::vector<double>& high, const ConstrainedStart& before) {
        return solve_within(part, low, high, before, control);
    };
    if (solve_extremes(problem, lower, upper, start, within, extremes, known)) {
        extremes.seconds = control.elapsed();
        return extremes;
    }
    const Plan plan = make_plan(lower, upper);
    return ConstrainedSearch(problem, plan, start, control).run(known);
}

}  // namespace

ConstrainedResult solve_constrained(const VectorProblem& problem, const std::vector<double>& lower,
                                    const std::vector<double>& upper, const ConstrainedStart& start,
                                    const Options& options) {
    Control control(options);
    return solve_within(problem, lower, upper, start, control);
}

}  // namespace streed
