// Body of the kernels. Included by one source file per instruction set, which defines STREED_LEVEL (the
// namespace) and STREED_VECTOR_BYTES. Everything here has internal linkage and no standard library template is
// used: a weak symbol compiled for AVX must never be picked by the linker for the baseline.
#include "kernels.hpp"

#if STREED_VECTOR_BYTES > 16
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // undefined vectors of GCC's own header (its bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif
#endif

namespace streed {
namespace STREED_LEVEL {
namespace {

constexpr int kVectorBytes = STREED_VECTOR_BYTES;

template <class T>
struct VectorOf;
template <>
struct VectorOf<std::int8_t> {
    typedef std::int8_t type __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias));
};
template <>
struct VectorOf<std::int16_t> {
    typedef std::int16_t type __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias));
};
template <>
struct VectorOf<std::int32_t> {
    typedef std::int32_t type __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias));
};
template <>
struct VectorOf<std::uint8_t> {
    typedef std::uint8_t type __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias));
};
template <>
struct VectorOf<std::uint16_t> {
    typedef std::uint16_t type __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias));
};
template <>
struct VectorOf<std::uint32_t> {
    typedef std::uint32_t type __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias));
};
template <>
struct VectorOf<double> {
    typedef double type __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias));
};
template <class T>
using Vec = typename VectorOf<T>::type;

template <class T>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

template <class T>
inline const Vec<T>* vectors(const T* p) { return reinterpret_cast<const Vec<T>*>(p); }
template <class T>
inline Vec<T>* vectors(T* p) { return reinterpret_cast<Vec<T>*>(p); }

template <class V>
inline V larger(V a, V b) { return a > b ? a : b; }
template <class V>
inline V smaller(V a, V b) { return a < b ? a : b; }
template <class T>
inline T magnitude(T a) { return a < T{} ? -a : a; }
template <class T>
inline Vec<T> splat(T value) { return Vec<T>{} + value; }

// Benefits are formed in a type that holds twice the largest sum.
template <class T>
struct WideOf { using type = std::int32_t; };
template <>
struct WideOf<std::int32_t> { using type = double; };
template <>
struct WideOf<double> { using type = double; };
template <class T>
using Wide = typename WideOf<T>::type;

inline int count_bits(std::uint64_t word) { return __builtin_popcountll(word); }

// Position of the lowest set bit; anything for zero.
inline std::uint32_t lowest_bit(std::uint64_t bits) {
#if defined(__BMI__)
    return static_cast<std::uint32_t>(_tzcnt_u64(bits));
#else
    return static_cast<std::uint32_t>(__builtin_ctzll(bits | (1ull << 63)));
#endif
}

// Slots of the set bits, written four at a time without a branch per bit (as simdjson flattens its bit maps).
// The empty asm keeps the compiler from gathering the stores into vectors, which is several times slower.
inline int decode(std::uint64_t bits, std::uint32_t slot, std::uint32_t* out) {
    const int count = count_bits(bits);
    for (int done = 0; done < count; done += 4) {
        for (int k = 0; k < 4; ++k) {
            out[done + k] = slot + lowest_bit(bits);
            bits &= bits - 1;
            asm volatile("" ::: "memory");
        }
    }
    return count;
}

inline std::uint64_t extract(std::uint64_t bits, std::uint64_t mask) {
#if defined(__BMI2__)
    return _pext_u64(bits, mask);
#else
    std::uint64_t out = 0;
    for (int k = 0; mask != 0; ++k, mask &= mask - 1) out |= ((bits >> __builtin_ctzll(mask)) & 1ull) << k;
    return out;
#endif
}

// Branch-free: the word under construction is stored every time and left behind when it is full. Writes at most one
// word beyond the packed bits, which the caller fills afterwards or does not use.
void compress(const std::uint64_t* column, const std::uint64_t* selected, int words, std::uint64_t* out) {
    std::uint64_t word = 0;
    unsigned shift = 0;
    for (int w = 0; w < words; ++w) {
        const std::uint64_t bits = extract(column[w], selected[w]);
        word |= bits << shift;
        *out = word;
        const std::uint64_t carry = (bits >> 1) >> (63 - shift);
        shift += static_cast<unsigned>(count_bits(selected[w]));
        word = shift >= 64 ? carry : word;
        out += shift >= 64;
        shift %= 64;
    }
    *out = word;
}

int count_and(const std::uint64_t* a, const std::uint64_t* b, int words) {
    int count = 0;
    for (int w = 0; w < words; ++w) count += count_bits(a[w] & b[w]);
    return count;
}

#include "kernels_cells.hpp"
#include "../leaves/squares.hpp"
#include "../leaves/log_ratio.hpp"
#include "../leaves/native_table.hpp"
#include "../leaves/native_pairs.hpp"
#include "kernels_counts.hpp"
#include "kernels_sparse.hpp"
#include "kernels_sums.hpp"

void pair_table(const Frame& frame, const std::uint64_t* filter, const void* singles, void* table, double* weights,
                const Scratch& scratch) {
    if (frame.counting) return count_table(frame, filter, table, weights, scratch);
    sum_table(frame, filter, singles, table, scratch);
}

// ---- benefits of a pair table ----------------------------------------------------------------------------

// Two labels, signed differences. With c = sum in a child and x = sum of its part with feature i, the split has
// benefit |x| + |c - x| = max(|c|, |2x - c|): only the extremes of x over i matter. The same holds on the other
// side of the root with y = single_i - x. Lanes are roots, the loop runs over second features.
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
            const std::size_t at = static_cast<std::size_t>(i) * static_cast<std::size_t>(stride) + static_cast<std::size_t>(begin);
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
                // 2 most - c is the largest 2x - c, c - 2 least the largest c - 2x; the larger one is the largest |2x - c|.
                right[at + l] = larger<Wide<T>>(2 * static_cast<Wide<T>>(extreme[0][l]) - c, c - 2 * static_cast<Wide<T>>(extreme[1][l]));
                left[at + l] = larger<Wide<T>>(2 * static_cast<Wide<T>>(extreme[2][l]) - d, d - 2 * static_cast<Wide<T>>(extreme[3][l]));
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
        weight += (model.scale != nullptr ? model.scale[c] : 1.0) * static_cast<double>(static_cast<const T*>(problem.totals)[c]);
    return weight;
}

// Lanes up to the last active one, in whole vectors of doubles. Those beyond are nobody's business.
inline int used_lanes(const Frame& frame) {
    return frame.n_active == 0 ? 0 : (frame.active[frame.n_active - 1] / kLanes<double> + 1) * kLanes<double>;
}

// Some lanes of any type as doubles.
template <class T>
inline Vec<double> as_doubles(const T* from) {
    typedef T Part __attribute__((vector_size(sizeof(T) * kLanes<double>), aligned(sizeof(T)), may_alias));
    return __builtin_convertvector(*reinterpret_cast<const Part*>(from), Vec<double>);
}

#include "kernels_splits.hpp"
#include "kernels_scaled.hpp"
#include "kernels_units.hpp"
#include "kernels_roots.hpp"

#include "kernels_labels.hpp"

template <class T, class C>
PairBenefit free_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes, double* per_root, double* work) {
    Sum<C>* right = reinterpret_cast<Sum<C>*>(work);
    Sum<C>* left = reinterpret_cast<Sum<C>*>(work + frame.stride);
    double* rest = work + 4 * frame.stride;
    problem.minuend != nullptr ? free_splits<T, C, true>(frame, model, problem, right, left, rest)
                               : free_splits<T, C, false>(frame, model, problem, right, left, rest);
    return finish_pairs<T, Sum<C>>(frame, model, problem, nodes, per_root, work, model.ticks);
}

template <class T, class C>
PairBenefit priced_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes, double* per_root, double* work) {
    double* right = work;
    double* left = work + frame.stride;
    double* rest = work + 4 * frame.stride;
    problem.minuend != nullptr ? priced_splits<T, C, true>(frame, model, problem, right, left, rest)
                               : priced_splits<T, C, false>(frame, model, problem, right, left, rest);
    return finish_pairs<T, double>(frame, model, problem, nodes, per_root, work, 1.0);
}

template <class T>
PairBenefit unit_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes, double* per_root, double* work, double unit) {
    std::int32_t* right = reinterpret_cast<std::int32_t*>(work);
    std::int32_t* left = reinterpret_cast<std::int32_t*>(work + frame.stride);
    double* rest = work + 4 * frame.stride;
    problem.minuend != nullptr ? unit_splits<T, true>(frame, model, problem, unit, right, left, rest)
                               : unit_splits<T, false>(frame, model, problem, unit, right, left, rest);
    return finish_pairs<T, std::int32_t>(frame, model, problem, nodes, per_root, work, unit);
}

// Counted rows where no unit is known that fits: all roots are solved in a unit that is not exact, and exactly those that may be the best
// one by that. A row is counted wrongly by half a unit at most, and so is what it pays for its second test. Says false if there are too many.
template <class T>
bool rounded_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes, double* work, double unit, double& best) {
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
        const bool leaves = leaf_right[j] >= right[j] * unit - model.branch_cost + error && leaf_left[j] >= left[j] * unit - model.branch_cost + error;
        if (!leaves) {
            double split[2];
            problem.minuend != nullptr ? exact_gains<T, true>(frame, model, problem, j, active, split[0], split[1])
                                       : exact_gains<T, false>(frame, model, problem, j, active, split[0], split[1]);
            const double branch = model.branch_cost;
            value = RootBenefit<Number>(leaf_right[j], leaf_left[j], split[0] - branch, split[1] - branch, rows * problem.prices->now[j]).at_most(nodes) - branch;
        }
        best = larger(best, value);
    }
    return true;
}

// Tests have prices: in whole units if the sums fit, else by rounding first, else in cost units.
template <class T>
bool solve_in_units(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes, double* per_root, double* work, PairBenefit& out) {
    if (!model.in_units) return false;
    const double most = most_cost<T>(frame, model, problem, 1);
    if (model.unit != 0 && most < 0x1p31 * model.unit) {
        out = unit_solve<T>(frame, model, problem, nodes, per_root, work, model.unit);
        return true;
    }
    double best;
    if (!frame.counting || per_root != nullptr || nodes == 0 || !rounded_solve<T>(frame, model, problem, nodes, work, rounded_unit(most), best)) return false;
    out = {{best, best, best, best}};
    return true;
}

// Rows with a weight per label, in a type that holds the weight of them all.
template <class T, class C>
PairBenefit weighted_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes, double* per_root, double* work) {
    if (problem.prices != nullptr) return priced_solve<T, C>(frame, model, problem, nodes, per_root, work);
    if (model.scale == nullptr || model.n_values != 2 || model.counted) return free_solve<T, C>(frame, model, problem, nodes, per_root, work);
    double* rest = work + 4 * frame.stride;
    problem.minuend != nullptr ? scaled_extremes<T, C, true>(frame, model, problem, work, work + frame.stride, rest)
                               : scaled_extremes<T, C, false>(frame, model, problem, work, work + frame.stride, rest);
    return finish_pairs<T, double>(frame, model, problem, nodes, per_root, work, 1.0);
}

// Two labels, neither limits nor prices.
template <class T>
PairBenefit signed_solve(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes, double* per_root, double* work) {
    const int stride = frame.stride;
    Wide<T>* right = reinterpret_cast<Wide<T>*>(work);
    Wide<T>* left = reinterpret_cast<Wide<T>*>(work + stride);
    problem.minuend != nullptr ? extremes<T, true>(frame, problem, right, left) : extremes<T, false>(frame, problem, right, left);
    if (model.branch_cost != 0 || nodes < 3 || per_root != nullptr)
        return finish_pairs<T, Wide<T>>(frame, model, problem, nodes, per_root, work, model.ticks);
    // The usual case. `right` and `left` are no less than the benefits of the leaves (x = 0 is among the extremes),
    // so the best full tree is as good as any smaller one.
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
            if (problem.prices != nullptr && solve_in_units<T>(frame, model, problem, nodes, per_root, scratch.work, found)) return found;
            if (model.scale != nullptr ? weight_of_all<T>(model, problem) < 0x1p29 : sizeof(T) <= 2) return weighted_solve<T, std::int32_t>(frame, model, problem, nodes, per_root, scratch.work);
        }
        return weighted_solve<T, double>(frame, model, problem, nodes, per_root, scratch.work);
    }
    if (model.kind == LeafKind::signed_difference && !model.counted) return signed_solve<T>(frame, model, problem, nodes, per_root, scratch.work);
    return free_solve<T, T>(frame, model, problem, nodes, per_root, scratch.work);
}

PairBenefit solve_pairs(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes,
                        double* per_root, const Scratch& scratch) {
    switch (frame.lane) {
        case Lane::i8: return typed_solve<std::int8_t>(frame, model, problem, nodes, per_root, scratch);
        case Lane::i16: return typed_solve<std::int16_t>(frame, model, problem, nodes, per_root, scratch);
        case Lane::i32: return typed_solve<std::int32_t>(frame, model, problem, nodes, per_root, scratch);
        default: return typed_solve<double>(frame, model, problem, nodes, per_root, scratch);
    }
}

void label_gains(const Frame& frame, const LeafModel& model, const PairProblem& problem, int labels, double* right, double* left,
                 const Scratch& scratch) {
    switch (frame.lane) {
        case Lane::i8: return label_gains<std::int8_t>(frame, model, problem, labels, right, left, scratch);
        case Lane::i16: return label_gains<std::int16_t>(frame, model, problem, labels, right, left, scratch);
        case Lane::i32: return label_gains<std::int32_t>(frame, model, problem, labels, right, left, scratch);
        default: return label_gains<double>(frame, model, problem, labels, right, left, scratch);
    }
}

template <class T>
void typed_subtract(const void* a, const void* b, void* out, int n) {
    for (int j = 0; j < n; ++j)
        static_cast<T*>(out)[j] = static_cast<T>(static_cast<const T*>(a)[j] - static_cast<const T*>(b)[j]);
}

void subtract(Lane lane, const void* a, const void* b, void* out, int n) {
    switch (lane) {
        case Lane::i8: return typed_subtract<std::int8_t>(a, b, out, n);
        case Lane::i16: return typed_subtract<std::int16_t>(a, b, out, n);
        case Lane::i32: return typed_subtract<std::int32_t>(a, b, out, n);
        default: return typed_subtract<double>(a, b, out, n);
    }
}

#include "kernels_bounds.hpp"
#include "kernels_rows.hpp"
#include "kernels_children.hpp"

}  // namespace

extern const Kernels kernels;
const Kernels kernels = {
    .name = STREED_LEVEL_NAME,
    .lane_multiple = kVectorBytes,
    .single_sums = single_sums,
    .pair_table = pair_table,
    .solve_pairs = solve_pairs,
    .label_gains = label_gains,
    .pair_cells = pair_cells,
    .round_costs = round_costs,
    .reduce_cells = reduce_cells,
    .table_splits = table_splits,
    .native_costs = native_costs,
    .native_splits = native_splits,
    .row_masks = row_masks,
    .native_table = native_table,
    .subtract_table = subtract_table,
    .subtract_counts = subtract_counts,
    .subtract = subtract,
    .compress = compress,
    .compress_columns = compress_columns,
    .turn_columns = turn_columns,
    .count_columns = count_columns,
    .solve_children = solve_children,
    .children_bytes = children_bytes,
    .count_and = count_and,
    .pair_weights = pair_weights,
    .test_prices = test_prices,
    .lost_prices = lost_prices,
    .push_bounds = push_bounds,
    .push_both = push_both,
};

}  // namespace STREED_LEVEL
}  // namespace streed
