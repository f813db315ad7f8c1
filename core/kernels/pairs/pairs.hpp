// What a pair table is worth: the best trees with two levels. Part of kernels/body.hpp.

// Two labels, signed differences. With c = sum in a child and x = sum of its part with feature i, the split
// has benefit |x| + |c - x| = max(|c|, |2x - c|): only the extremes of x over i matter. The same holds on the
// other side of the root with y = single_i - x. Lanes are roots, the loop runs over second features.
template <class T, bool Minus>
void extremes(const Frame& frame, const PairProblem& problem, Wide<T>* right, Wide<T>* left) {
    const T* table = static_cast<const T*>(problem.table);
    const T* minuend = static_cast<const T*>(problem.minuend);
    const T* singles = static_cast<const T*>(problem.singles);
    const T total = static_cast<const T*>(problem.totals)[0];
    const int stride = frame.stride;
    for (int begin = 0; begin < stride; begin += 2 * kLanes<T>) {
        const bool two = begin + kLanes<T> < stride;
        Vec<T> most_x[2] = {}, least_x[2] = {}, most_y[2] = {}, least_y[2] = {};
        const int second = two ? kLanes<T> : 0;
        for (int a = 0; a < frame.n_active; ++a) {
            const int i = frame.active[a];
            const std::size_t at = static_cast<std::size_t>(i) * static_cast<std::size_t>(stride) +
                                   static_cast<std::size_t>(begin);
            const Vec<T> single = splat<T>(singles[i]);
            Vec<T> x0 = *vectors(table + at);
            Vec<T> x1 = *vectors(table + at + second);
            if (Minus) {
                x0 = *vectors(minuend + at) - x0;
                x1 = *vectors(minuend + at + second) - x1;
            }
            const Vec<T> y0 = single - x0;
            const Vec<T> y1 = single - x1;
            most_x[0] = larger(most_x[0], x0);
            most_x[1] = larger(most_x[1], x1);
            least_x[0] = smaller(least_x[0], x0);
            least_x[1] = smaller(least_x[1], x1);
            most_y[0] = larger(most_y[0], y0);
            most_y[1] = larger(most_y[1], y1);
            least_y[0] = smaller(least_y[0], y0);
            least_y[1] = smaller(least_y[1], y1);
        }
        for (int half = 0; half < (two ? 2 : 1); ++half) {
            alignas(kVectorBytes) T extreme[4][kLanes<T>];
            *vectors(extreme[0]) = most_x[half];
            *vectors(extreme[1]) = least_x[half];
            *vectors(extreme[2]) = most_y[half];
            *vectors(extreme[3]) = least_y[half];
            const int at = begin + half * kLanes<T>;
            for (int l = 0; l < kLanes<T>; ++l) {
                const Wide<T> c = singles[at + l];
                const Wide<T> d = static_cast<Wide<T>>(total) - c;
                // 2 most - c is the largest 2x - c, c - 2 least the largest c - 2x; the larger one is the
                // largest |2x - c|.
                right[at + l] = larger<Wide<T>>(2 * static_cast<Wide<T>>(extreme[0][l]) - c,
                                                c - 2 * static_cast<Wide<T>>(extreme[1][l]));
                left[at + l] = larger<Wide<T>>(2 * static_cast<Wide<T>>(extreme[2][l]) - d,
                                               d - 2 * static_cast<Wide<T>>(extreme[3][l]));
            }
        }
    }
}

// Stands for "no admissible split"; two of them can be added.
template <class W>
constexpr W lowest_benefit() {
    if constexpr (sizeof(W) == 8)
        return -1e300;
    else
        return -(1 << 30);
}

// Sum of the channels that enter the benefit.
template <class T>
double weight_of_all(const LeafModel& model, const PairProblem& problem) {
    double weight = 0;
    for (int c = 0; c < model.n_values; ++c)
        weight += (model.scale != nullptr ? model.scale[c] : 1.0) *
                  static_cast<double>(static_cast<const T*>(problem.totals)[c]);
    return weight;
}

// Lanes up to the last active one, in whole vectors of doubles; the lanes after them are unused.
inline int used_lanes(const Frame& frame) {
    return frame.n_active == 0 ? 0 : (frame.active[frame.n_active - 1] / kLanes<double> + 1) * kLanes<double>;
}

// Some lanes of any type as doubles.
template <class T>
inline Vec<double> as_doubles(const T* from) {
    typedef T Part __attribute__((vector_size(sizeof(T) * kLanes<double>), aligned(sizeof(T)), may_alias));
    return __builtin_convertvector(*reinterpret_cast<const Part*>(from), Vec<double>);
}

#include "kernels/pairs/splits.hpp"
#include "kernels/pairs/scaled.hpp"
#include "kernels/pairs/units.hpp"
#include "kernels/pairs/roots.hpp"

#include "kernels/pairs/labels.hpp"

template <class T, class C>
PairBenefit free_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes,
                       double* per_root, double* work) {
    Sum<C>* right = reinterpret_cast<Sum<C>*>(work);
    Sum<C>* left = reinterpret_cast<Sum<C>*>(work + frame.stride);
    double* rest = work + 4 * frame.stride;
    problem.minuend != nullptr ? free_splits<T, C, true>(frame, model, problem, right, left, rest)
                               : free_splits<T, C, false>(frame, model, problem, right, left, rest);
    return finish_pairs<T, Sum<C>>(frame, model, problem, nodes, per_root, work, model.ticks);
}

template <class T, class C>
PairBenefit priced_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes,
                         double* per_root, double* work) {
    double* right = work;
    double* left = work + frame.stride;
    double* rest = work + 4 * frame.stride;
    problem.minuend != nullptr ? priced_splits<T, C, true>(frame, model, problem, right, left, rest)
                               : priced_splits<T, C, false>(frame, model, problem, right, left, rest);
    return finish_pairs<T, double>(frame, model, problem, nodes, per_root, work, 1.0);
}

template <class T>
PairBenefit unit_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes,
                       double* per_root, double* work, double unit) {
    std::int32_t* right = reinterpret_cast<std::int32_t*>(work);
    std::int32_t* left = reinterpret_cast<std::int32_t*>(work + frame.stride);
    double* rest = work + 4 * frame.stride;
    problem.minuend != nullptr ? unit_splits<T, true>(frame, model, problem, unit, right, left, rest)
                               : unit_splits<T, false>(frame, model, problem, unit, right, left, rest);
    return finish_pairs<T, std::int32_t>(frame, model, problem, nodes, per_root, work, unit);
}

// Counted rows where no unit is known that fits: all roots are solved in a unit that is not exact, and
// exactly those that may be the best one by that. A row is counted wrongly by half a unit at most, and so is
// what it pays for its second test. Returns false if there are more than kMostRoots of these
// (2 and 32 take 1.01 of the time).
template <class T>
bool rounded_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes,
                   double* work, double unit, double& best) {
    constexpr int kMostRoots = 8;
    double* about = work + 4 * frame.stride;  // by root, when the pairs are done
    const int at_most = nodes < 3 ? nodes : 3;
    const double highest = unit_solve<T>(frame, model, problem, nodes, about, work, unit).at_most[at_most];
    const double rows = static_cast<double>(static_cast<const T*>(problem.totals)[model.n_values]);
    const double error = (rows + 1) * unit;
    int roots = 0;
    const int lanes = used_lanes(frame);
    for (int j = 0; j < lanes; ++j) roots += about[j] >= highest - 2 * error;
    best = highest;
    if (highest < -1e290) return true;  // there is no root at all
    if (roots > kMostRoots) return false;
    const double* leaf_right = work + 2 * frame.stride;
    const double* leaf_left = work + 3 * frame.stride;
    const std::int32_t* right = reinterpret_cast<const std::int32_t*>(work);
    const std::int32_t* left = reinterpret_cast<const std::int32_t*>(work + frame.stride);
    double* active = about + frame.stride;
    for (int j = 0; j < lanes; ++j) active[j] = 0;
    for (int a = 0; a < frame.n_active; ++a) active[frame.active[a]] = 1;
    best = -1e300;
    for (int j = 0; j < lanes; ++j) {
        if (about[j] < highest - 2 * error) continue;
        double value = about[j];
        const bool leaves = leaf_right[j] >= right[j] * unit - model.branch_cost + error &&
                            leaf_left[j] >= left[j] * unit - model.branch_cost + error;
        if (!leaves) {
            double split[2];
            problem.minuend != nullptr
                ? exact_gains<T, true>(frame, model, problem, j, active, split[0], split[1])
                : exact_gains<T, false>(frame, model, problem, j, active, split[0], split[1]);
            const double branch = model.branch_cost;
            value = RootBenefit<Number>(leaf_right[j], leaf_left[j], split[0] - branch, split[1] - branch,
                                        rows * problem.prices->now[j])
                        .at_most(nodes) -
                    branch;
        }
        best = larger(best, value);
    }
    return true;
}

// Tests have prices: in whole units if the sums fit, else by rounding first, else in cost units.
template <class T>
bool solve_in_units(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes,
                    double* per_root, double* work, PairBenefit& out) {
    if (!model.in_units) return false;
    const double most = most_cost<T>(frame, model, problem, 1);
    if (model.unit != 0 && most < 0x1p31 * model.unit) {
        out = unit_solve<T>(frame, model, problem, nodes, per_root, work, model.unit);
        return true;
    }
    double best;
    if (!frame.counting || per_root != nullptr || nodes == 0 ||
        !rounded_solve<T>(frame, model, problem, nodes, work, rounded_unit(most), best))
        return false;
    out = {{best, best, best, best}};
    return true;
}

// Rows with a weight per label, in a type that holds the weight of them all.
template <class T, class C>
PairBenefit weighted_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes,
                           double* per_root, double* work) {
    if (problem.prices != nullptr) return priced_solve<T, C>(frame, model, problem, nodes, per_root, work);
    if (model.scale == nullptr || model.n_values != 2 || model.counted)
        return free_solve<T, C>(frame, model, problem, nodes, per_root, work);
    double* rest = work + 4 * frame.stride;
    problem.minuend != nullptr
        ? scaled_extremes<T, C, true>(frame, model, problem, work, work + frame.stride, rest)
        : scaled_extremes<T, C, false>(frame, model, problem, work, work + frame.stride, rest);
    return finish_pairs<T, double>(frame, model, problem, nodes, per_root, work, 1.0);
}

// Two labels, neither limits nor prices.
template <class T>
PairBenefit signed_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes,
                         double* per_root, double* work) {
    const int stride = frame.stride;
    Wide<T>* right = reinterpret_cast<Wide<T>*>(work);
    Wide<T>* left = reinterpret_cast<Wide<T>*>(work + stride);
    problem.minuend != nullptr ? extremes<T, true>(frame, problem, right, left)
                               : extremes<T, false>(frame, problem, right, left);
    if (model.branch_cost != 0 || nodes < 3 || per_root != nullptr)
        return finish_pairs<T, Wide<T>>(frame, model, problem, nodes, per_root, work, model.ticks);
    // The usual case. `right` and `left` are no less than the benefits of the leaves (x = 0 is among the
    // extremes), so the best full tree is as good as any smaller one.
    mask_idle(frame, right, left);
    Wide<T> best = right[0] + left[0];
    for (int j = 1; j < stride; ++j) best = larger<Wide<T>>(best, right[j] + left[j]);
    const double benefit = model.ticks * static_cast<double>(best);
    return {{benefit, benefit, benefit, benefit}};
}

template <class T>
PairBenefit typed_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes,
                        double* per_root, const Scratch& scratch) {
    if (model.scale != nullptr || problem.prices != nullptr) {
        if constexpr (sizeof(T) <= 4) {
            PairBenefit found;
            if (problem.prices != nullptr &&
                solve_in_units<T>(frame, model, problem, nodes, per_root, scratch.work, found))
                return found;
            if (model.scale != nullptr ? weight_of_all<T>(model, problem) < 0x1p29 : sizeof(T) <= 2)
                return weighted_solve<T, std::int32_t>(frame, model, problem, nodes, per_root, scratch.work);
        }
        return weighted_solve<T, double>(frame, model, problem, nodes, per_root, scratch.work);
    }
    if (model.kind == LeafKind::signed_difference && !model.counted)
        return signed_solve<T>(frame, model, problem, nodes, per_root, scratch.work);
    return free_solve<T, T>(frame, model, problem, nodes, per_root, scratch.work);
}

PairBenefit solve_pairs(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes,
                        double* per_root, const Scratch& scratch) {
    switch (frame.lane) {
        case Lane::i8:
            return typed_solve<std::int8_t>(frame, model, problem, nodes, per_root, scratch);
        case Lane::i16:
            return typed_solve<std::int16_t>(frame, model, problem, nodes, per_root, scratch);
        case Lane::i32:
            return typed_solve<std::int32_t>(frame, model, problem, nodes, per_root, scratch);
        default:
            return typed_solve<double>(frame, model, problem, nodes, per_root, scratch);
    }
}

void label_gains(const Frame& frame, const LeafModel& model, const PairProblem& problem, int labels,
                 double* right, double* left, const Scratch& scratch) {
    switch (frame.lane) {
        case Lane::i8:
            return label_gains<std::int8_t>(frame, model, problem, labels, right, left, scratch);
        case Lane::i16:
            return label_gains<std::int16_t>(frame, model, problem, labels, right, left, scratch);
        case Lane::i32:
            return label_gains<std::int32_t>(frame, model, problem, labels, right, left, scratch);
        default:
            return label_gains<double>(frame, model, problem, labels, right, left, scratch);
    }
}
