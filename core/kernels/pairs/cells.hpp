// Cells of a pair table for leaf functions, and what becomes of their costs. Part of kernels/body.hpp.

// The four cells of the pairs of root `a` with all later ones: both features, the root's only, the other
// one's only, none. Cells with too few rows hold the sums of the whole node instead, so that a function is
// never asked about an empty leaf.
template <class T>
void typed_pair_cells(const Frame& frame, const PairProblem& problem, const CellPlan& plan, int a,
                      double* cells, std::size_t spacing, double* sizes) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    const std::size_t n = static_cast<std::size_t>(plan.n);
    const std::size_t m = n - static_cast<std::size_t>(a) - 1;
    const std::int32_t* lanes = plan.lanes + a + 1;
    double* both = plan.row;
    const double least = plan.least;
    for (int k = 0; k <= plan.n_values; ++k) {
        const int c = k == 0 ? plan.n_values : k - 1;  // the row counts come first
        const std::size_t row =
            (static_cast<std::size_t>(c) * stride + static_cast<std::size_t>(plan.lanes[a])) * stride;
        const T* table = static_cast<const T*>(problem.table) + row;
        const T* minuend = problem.minuend == nullptr ? nullptr
                                                      : static_cast<const T*>(problem.minuend) + row;
        const double* singles = plan.singles + static_cast<std::size_t>(c) * n;
        const double root = singles[a];
        const double total = plan.totals[c];
        const double rest = total - root;
        const double* others = singles + a + 1;
        if (minuend == nullptr)
            for (std::size_t b = 0; b < m; ++b) both[b] = static_cast<double>(table[lanes[b]]);
        else
            for (std::size_t b = 0; b < m; ++b)
                both[b] = static_cast<double>(minuend[lanes[b]] - table[lanes[b]]);
        if (k == 0) {
            for (std::size_t b = 0; b < m; ++b) {
                sizes[b] = both[b];
                sizes[m + b] = root - both[b];
                sizes[2 * m + b] = others[b] - both[b];
                sizes[3 * m + b] = rest - others[b] + both[b];
            }
            continue;
        }
        double* out = cells + static_cast<std::size_t>(c) * spacing;
        for (std::size_t b = 0; b < m; ++b) {
            out[b] = sizes[b] < least ? total : both[b];
            out[m + b] = sizes[m + b] < least ? total : root - both[b];
            out[2 * m + b] = sizes[2 * m + b] < least ? total : others[b] - both[b];
            out[3 * m + b] = sizes[3 * m + b] < least ? total : rest - others[b] + both[b];
        }
    }
}

void pair_cells(const Frame& frame, const PairProblem& problem, const CellPlan& plan, int a, double* cells,
                std::size_t spacing, double* sizes) {
    switch (frame.lane) {
        case Lane::i8:
            return typed_pair_cells<std::int8_t>(frame, problem, plan, a, cells, spacing, sizes);
        case Lane::i16:
            return typed_pair_cells<std::int16_t>(frame, problem, plan, a, cells, spacing, sizes);
        case Lane::i32:
            return typed_pair_cells<std::int32_t>(frame, problem, plan, a, cells, spacing, sizes);
        default:
            return typed_pair_cells<double>(frame, problem, plan, a, cells, spacing, sizes);
    }
}

// Unaligned vectors of doubles, and a loop over them with a remainder. As the argument of a template it is an
// aligned one: arrays that such a template reads are aligned.
typedef double AnyVec __attribute__((vector_size(kVectorBytes), aligned(8), may_alias));
inline AnyVec& at(double* p) { return *reinterpret_cast<AnyVec*>(p); }
inline const AnyVec& at(const double* p) { return *reinterpret_cast<const AnyVec*>(p); }

inline double least_of(AnyVec values) {
    double least = values[0];
    for (int k = 1; k < kLanes<double>; ++k) least = smaller(least, values[k]);
    return least;
}

// Costs in ticks: the least over the labels, above the unavoidable part. Adding and subtracting 1.5 * 2^52
// rounds to a whole number. Returns the lowest of them, or NaN if a cost is not finite or too large.
double round_costs(const double* costs, int labels, const double* unavoidable, std::size_t n, double per_unit,
                   double most, double* ticks) {
    constexpr double kRound = 0x1.8p52;
    constexpr std::size_t width = static_cast<std::size_t>(kLanes<double>);
    AnyVec bad = {}, lowest = {};
    std::size_t k = 0;
    for (; k + width <= n; k += width) {
        AnyVec best = at(costs + k);
        for (int label = 1; label < labels; ++label) {
            const AnyVec own = at(costs + static_cast<std::size_t>(label) * n + k);
            bad += own - own;
            best = own < best ? own : best;
        }
        if (unavoidable != nullptr) best -= at(unavoidable + k);
        best *= per_unit;
        bad += best - best;
        bad = (best > most) | (best < -most) ? bad + kRound : bad;
        best = (best + kRound) - kRound;
        lowest = best < lowest ? best : lowest;
        at(ticks + k) = best;
    }
    double low = least_of(lowest), wrong = 0;
    for (int l = 0; l < kLanes<double>; ++l) wrong += bad[l];
    for (; k < n; ++k) {
        double best = costs[k];
        for (int label = 1; label < labels; ++label) {
            const double own = costs[static_cast<std::size_t>(label) * n + k];
            wrong += own - own;
            best = smaller(own, best);
        }
        if (unavoidable != nullptr) best -= unavoidable[k];
        best *= per_unit;
        wrong += best - best;
        if (best > most || best < -most) wrong += 1;
        ticks[k] = (best + kRound) - kRound;
        low = smaller(low, ticks[k]);
    }
    return wrong == 0 ? low : __builtin_nan("");
}

// What two leaves cost together: their sum, or the larger one where ⊕ is max.
template <bool Maximum, class V>
inline V joined(V a, V b) {
    if constexpr (Maximum)
        return a > b ? a : b;
    else
        return a + b;
}

// The best splits below root `a` and below the others, with these pairs; cells with too few rows do not
// count.
template <bool Maximum>
void joined_cells(int n, int a, const double* ticks, const double* sizes, double least, double* right,
                  double* left) {
    constexpr std::size_t width = static_cast<std::size_t>(kLanes<double>);
    const std::size_t m = static_cast<std::size_t>(n - a) - 1;
    double* rights = right + a + 1;
    double* lefts = left + a + 1;
    const AnyVec none = AnyVec{} + 1e300;
    AnyVec best_right = none, best_left = none;
    std::size_t b = 0;
    for (; b + width <= m; b += width) {
        const AnyVec c0 = at(sizes + b) < least ? none : at(ticks + b);
        const AnyVec c1 = at(sizes + m + b) < least ? none : at(ticks + m + b);
        const AnyVec c2 = at(sizes + 2 * m + b) < least ? none : at(ticks + 2 * m + b);
        const AnyVec c3 = at(sizes + 3 * m + b) < least ? none : at(ticks + 3 * m + b);
        const AnyVec with = joined<Maximum>(c0, c1), without = joined<Maximum>(c2, c3);
        const AnyVec other_with = joined<Maximum>(c0, c2), other_without = joined<Maximum>(c1, c3);
        best_right = with < best_right ? with : best_right;
        best_left = without < best_left ? without : best_left;
        at(rights + b) = other_with < at(rights + b) ? other_with : at(rights + b);
        at(lefts + b) = other_without < at(lefts + b) ? other_without : at(lefts + b);
    }
    right[a] = smaller(right[a], least_of(best_right));
    left[a] = smaller(left[a], least_of(best_left));
    for (; b < m; ++b) {
        double cost[4];
        for (std::size_t q = 0; q < 4; ++q) cost[q] = sizes[q * m + b] < least ? 1e300 : ticks[q * m + b];
        right[a] = smaller(right[a], joined<Maximum>(cost[0], cost[1]));
        left[a] = smaller(left[a], joined<Maximum>(cost[2], cost[3]));
        rights[b] = smaller(rights[b], joined<Maximum>(cost[0], cost[2]));
        lefts[b] = smaller(lefts[b], joined<Maximum>(cost[1], cost[3]));
    }
}

void reduce_cells(int n, int a, const double* ticks, const double* sizes, double least, bool maximum,
                  double* right, double* left) {
    (maximum ? joined_cells<true> : joined_cells<false>)(n, a, ticks, sizes, least, right, left);
}

// ---- leaf functions of few small whole statistics, by table ----------------------------------------------

// index[lane] = position in the table of the sums in a row of statistics.
template <class T>
void indices(const void* row, const void* minuend, std::size_t channel_size, const std::int32_t* factor,
             int n_factors, int stride, std::int32_t* index) {
    const T* values = static_cast<const T*>(row);
    const T* whole = static_cast<const T*>(minuend);
    for (int j = 0; j < stride; ++j) index[j] = 0;
    for (int c = 0; c < n_factors;
         ++c, values += channel_size, whole += whole == nullptr ? 0 : channel_size) {
        if (factor[c] == 0) continue;
        const std::int32_t f = factor[c];
        if (whole == nullptr)
            for (int j = 0; j < stride; ++j) index[j] += f * static_cast<std::int32_t>(values[j]);
        else
            for (int j = 0; j < stride; ++j)
                index[j] += f * (static_cast<std::int32_t>(whole[j]) - static_cast<std::int32_t>(values[j]));
    }
}

// As many positions as doubles fit into a vector.
typedef std::int32_t Positions __attribute__((vector_size(4 * kLanes<double>), aligned(4), may_alias));
inline const Positions& at(const std::int32_t* p) { return *reinterpret_cast<const Positions*>(p); }

inline AnyVec look_up(const double* table, Positions index) {
#if STREED_VECTOR_BYTES == 32
    const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), table, reinterpret_cast<__m128i>(index), all, 8);
#else
    AnyVec out{};
    for (int k = 0; k < kLanes<double>; ++k) out[k] = table[index[k]];
    return out;
#endif
}

// The best splits below every root: each pair of features once, for both orders. The sums of a cell are a
// position in the table, and so are their differences; positions of cells with too few rows hold 1e300.
// Where ⊕ is max, which hides a wrong, very negative cost, returns the least sum of two cells; else 0.
template <bool Maximum, class T>
double typed_table_splits(const Frame& frame, const PairProblem& problem, const CellTable& cells,
                          double* right, double* left) {
    const int stride = frame.stride;
    const std::size_t size = static_cast<std::size_t>(stride) * static_cast<std::size_t>(stride);
    const std::size_t step = static_cast<std::size_t>(stride);
    std::int32_t* single = cells.work;
    std::int32_t* index = single + stride;
    indices<T>(problem.singles, nullptr, step, cells.factor, cells.n_factors, stride, single);
    std::int32_t total = 0;
    for (int c = 0; c < cells.n_factors; ++c)
        total += cells.factor[c] * static_cast<std::int32_t>(static_cast<const T*>(problem.totals)[c]);
    const AnyVec none = AnyVec{} + 1e300;
    AnyVec lowest = {};
    for (int j = 0; j < stride; ++j) right[j] = left[j] = 1e300;
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        const std::int32_t root = single[i];
        const std::int32_t rest = total - root;
        if (cells.costs[root] >= 1e300 || cells.costs[rest] >= 1e300)
            continue;  // cannot be a root, nor a second feature
        const T* row = static_cast<const T*>(problem.table) + static_cast<std::size_t>(i) * step;
        const T* whole = problem.minuend == nullptr
                             ? nullptr
                             : static_cast<const T*>(problem.minuend) + static_cast<std::size_t>(i) * step;
        indices<T>(row, whole, size, cells.factor, cells.n_factors, stride, index);
        AnyVec best_right = none, best_left = none;
        for (int j = i / kLanes<double> * kLanes<double>; j < stride; j += kLanes<double>) {
            const Positions x = at(index + j);
            const Positions others = at(single + j);
            const AnyVec c0 = look_up(cells.costs, x);
            const AnyVec c1 = look_up(cells.costs, root - x);
            const AnyVec c2 = look_up(cells.costs, others - x);
            const AnyVec c3 = look_up(cells.costs, rest - others + x);
            const AnyVec with = joined<Maximum>(c0, c1), without = joined<Maximum>(c2, c3);
            const AnyVec other_with = joined<Maximum>(c0, c2), other_without = joined<Maximum>(c1, c3);
            best_right = with < best_right ? with : best_right;
            best_left = without < best_left ? without : best_left;
            at(right + j) = other_with < at(right + j) ? other_with : at(right + j);
            at(left + j) = other_without < at(left + j) ? other_without : at(left + j);
            if constexpr (Maximum) {
                lowest = c0 + c1 < lowest ? c0 + c1 : lowest;
                lowest = c2 + c3 < lowest ? c2 + c3 : lowest;
            }
        }
        right[i] = smaller(right[i], least_of(best_right));
        left[i] = smaller(left[i], least_of(best_left));
    }
    return least_of(lowest);
}

template <bool Maximum>
double joined_table_splits(const Frame& frame, const PairProblem& problem, const CellTable& cells,
                           double* right, double* left) {
    switch (frame.lane) {
        case Lane::i8:
            return typed_table_splits<Maximum, std::int8_t>(frame, problem, cells, right, left);
        case Lane::i16:
            return typed_table_splits<Maximum, std::int16_t>(frame, problem, cells, right, left);
        default:
            return typed_table_splits<Maximum, std::int32_t>(frame, problem, cells, right, left);
    }
}

double table_splits(const Frame& frame, const PairProblem& problem, const CellTable& cells, bool maximum,
                    double* right, double* left) {
    return (maximum ? joined_table_splits<true> : joined_table_splits<false>)(frame, problem, cells, right,
                                                                              left);
}
