// Pairs of features by a leaf function that the engine knows. Part of kernels_impl.hpp.
//
// As in typed_table_splits every pair is looked at once, for both of its features as the root: its four cells
// are formed in registers from the pair table, turned into ticks at once and never stored. The obvious way,
// cells in memory and a function that gets thousands of them, takes ten times as long: each cell is written
// and read three times.

typedef long long Bits __attribute__((vector_size(kVectorBytes), may_alias));

template <NativeLeaf Form, class V, class I>
inline V native_cost(const V* sums, int n_values) {
    if constexpr (Form == NativeLeaf::squares)
        return Squares<V>::cost(sums, n_values);
    else
        return LogRatio<V, I>::cost(sums, n_values);
}

// Ticks of a leaf; adding and subtracting 1.5 * 2^52 rounds to a whole number. Rounding may bring a cost
// below zero.
template <NativeLeaf Form, class V, class I>
inline V native_ticks(const V* sums, const NativeModel& model) {
    const V cost = native_cost<Form, V, I>(sums, model.n_values) * model.per_unit;
    const V whole = (cost + 0x1.8p52) - 0x1.8p52;
    const V zero = V{};
    return whole > zero ? whole : zero;
}

template <NativeLeaf Form>
void form_costs(const NativeModel& model, const double* sums, std::size_t n, double* ticks) {
    constexpr int most = 64;
    constexpr std::size_t width = static_cast<std::size_t>(kLanes<double>);
    AnyVec wide[most];
    double own[most];
    std::size_t k = 0;
    for (; k + width <= n; k += width) {
        for (int m = 0; m < model.n_values; ++m) wide[m] = at(sums + static_cast<std::size_t>(m) * n + k);
        at(ticks + k) = native_ticks<Form, AnyVec, Bits>(wide, model);
    }
    for (; k < n; ++k) {
        for (int m = 0; m < model.n_values; ++m) own[m] = sums[static_cast<std::size_t>(m) * n + k];
        ticks[k] = native_ticks<Form, double, long long>(own, model);
    }
}

// Ticks of n leaves from their sums [statistic][leaf], in the units that the function knows.
void native_costs(const NativeModel& model, const double* sums, std::size_t n, double* ticks) {
    if (model.form == NativeLeaf::squares) return form_costs<NativeLeaf::squares>(model, sums, n, ticks);
    form_costs<NativeLeaf::log_ratio>(model, sums, n, ticks);
}

template <class T>
inline AnyVec lane_doubles(const T* p) {
    if constexpr (sizeof(T) == 8) {
        return at(reinterpret_cast<const double*>(p));
    } else {
        typedef T Narrow __attribute__((vector_size(sizeof(T) * kLanes<double>), aligned(1), may_alias));
        return __builtin_convertvector(*reinterpret_cast<const Narrow*>(p), AnyVec);
    }
}

// N is the number of values if it is known when compiling, else zero.
template <NativeLeaf Form, int N, class T>
void typed_native_splits(const Frame& frame, const PairProblem& problem, const NativeModel& given,
                         const NativeSplits& out) {
    constexpr int most = N > 0 ? N : 64;
    NativeModel model = given;
    if constexpr (N > 0) model.n_values = N;
    const int n_values = model.n_values;
    const bool counted = model.least > 1;
    const int stride = frame.stride, lanes = native_lanes(frame);
    const std::size_t size = static_cast<std::size_t>(stride) * static_cast<std::size_t>(stride);
    const T* singles = static_cast<const T*>(problem.singles);
    const T* totals = static_cast<const T*>(problem.totals);
    const AnyVec none = AnyVec{} + 1e300;
    const int counter = counted                       ? n_values
                        : Form == NativeLeaf::squares ? 0
                                                      : 1;  // empty cells have no weight, no expected events
    const double least = counted ? model.least : 0x1p-1022;
    double unit[most], total[most + 1];
    for (int m = 0; m < n_values; ++m) {
        unit[m] = model.units != nullptr ? model.units[m] : 1.0;
        total[m] = static_cast<double>(totals[m]) * unit[m];
    }
    if (counted) total[n_values] = static_cast<double>(totals[n_values]);
    const auto sum_at = [&](const T* row, const T* whole, int m) {
        AnyVec own = lane_doubles(row);
        if (whole != nullptr) own = lane_doubles(whole) - own;
        return m < n_values ? own * unit[m] : own;
    };
    // Both children of every root as leaves.
    for (int j = 0; j < lanes; j += kLanes<double>) {
        AnyVec with[most] = {}, without[most] = {};
        for (int m = 0; m < n_values; ++m) {
            with[m] = sum_at(singles + m * stride + j, nullptr, m);
            without[m] = total[m] - with[m];
        }
        const AnyVec rows = counted ? sum_at(singles + n_values * stride + j, nullptr, n_values)
                                    : with[counter];
        const AnyVec right = native_ticks<Form, AnyVec, Bits>(with, model),
                     left = native_ticks<Form, AnyVec, Bits>(without, model);
        const auto good = (rows >= least) & (total[counter] - rows >= least);
        at(out.right_leaf + j) = good ? right : none;
        at(out.left_leaf + j) = good ? left : none;
        at(out.right + j) = at(out.left + j) = none;
    }
    for (int k = 0; k < frame.n_idle; ++k) out.right_leaf[frame.idle[k]] = 1e300;
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        if (out.right_leaf[i] >= 1e300) continue;  // cannot be a root, nor a second feature
        const T* row[most + 1];
        const T* whole[most + 1];
        double root[most + 1];
        const int channels = n_values + (counted ? 1 : 0);
        for (int m = 0; m < channels; ++m) {
            const std::size_t begin = static_cast<std::size_t>(m) * size +
                                      static_cast<std::size_t>(i) * static_cast<std::size_t>(stride);
            row[m] = static_cast<const T*>(problem.table) + begin;
            whole[m] = problem.minuend == nullptr ? nullptr : static_cast<const T*>(problem.minuend) + begin;
            root[m] = static_cast<double>(singles[m * stride + i]) * (m < n_values ? unit[m] : 1.0);
        }
        AnyVec best_right = none, best_left = none;
        for (int j = i / kLanes<double> * kLanes<double>; j < lanes; j += kLanes<double>) {
            const auto open = at(out.right_leaf + j) < none;
            AnyVec cell[4][most + 1];
            for (int m = 0; m < channels; ++m) {
                const AnyVec both = sum_at(row[m] + j, whole[m] == nullptr ? nullptr : whole[m] + j, m);
                const AnyVec other = sum_at(singles + m * stride + j, nullptr, m);
                cell[0][m] = both;
                cell[1][m] = root[m] - both;
                cell[2][m] = other - both;
                cell[3][m] = (total[m] - root[m]) - cell[2][m];
            }
            AnyVec ticks[4];
            for (int q = 0; q < 4; ++q) {
                const AnyVec cost = native_ticks<Form, AnyVec, Bits>(cell[q], model);
                ticks[q] = (cell[q][counter] >= least) & open ? cost : none;
            }
            const AnyVec with = ticks[0] + ticks[1], without = ticks[2] + ticks[3];
            const AnyVec other_with = ticks[0] + ticks[2], other_without = ticks[1] + ticks[3];
            best_right = with < best_right ? with : best_right;
            best_left = without < best_left ? without : best_left;
            at(out.right + j) = other_with < at(out.right + j) ? other_with : at(out.right + j);
            at(out.left + j) = other_without < at(out.left + j) ? other_without : at(out.left + j);
        }
        out.right[i] = smaller(out.right[i], least_of(best_right));
        out.left[i] = smaller(out.left[i], least_of(best_left));
    }
}

template <class T>
void lane_native_splits(const Frame& frame, const PairProblem& problem, const NativeModel& model,
                        const NativeSplits& out) {
    if (model.form == NativeLeaf::log_ratio)
        return typed_native_splits<NativeLeaf::log_ratio, 3, T>(frame, problem, model, out);
    if (model.n_values == 3)
        return typed_native_splits<NativeLeaf::squares, 3, T>(frame, problem, model, out);
    typed_native_splits<NativeLeaf::squares, 0, T>(frame, problem, model, out);
}

void native_splits(const Frame& frame, const PairProblem& problem, const NativeModel& model,
                   const NativeSplits& out) {
    switch (frame.lane) {
        case Lane::i8:
            return lane_native_splits<std::int8_t>(frame, problem, model, out);
        case Lane::i16:
            return lane_native_splits<std::int16_t>(frame, problem, model, out);
        case Lane::i32:
            return lane_native_splits<std::int32_t>(frame, problem, model, out);
        default:
            return lane_native_splits<double>(frame, problem, model, out);
    }
}
