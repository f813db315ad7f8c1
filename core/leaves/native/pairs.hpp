// Pairs of features by a leaf function that the engine knows. Part of kernels/body.hpp.
//
// As in typed_table_splits every pair is looked at once, for both of its features as the root: its four cells
// are formed in registers from the pair table, turned into ticks at once and never stored. The obvious way,
// cells in memory and a function that gets thousands of them, takes ten times as long: each cell is written
// and read three times.

typedef long long Bits __attribute__((vector_size(kVectorBytes), may_alias));

// Ticks of a benefit; adding and subtracting 1.5 * 2^52 rounds to a whole number. Benefits are rounded down,
// so that a split whose sides gain no more than their rows together never seems to gain a tick. A leaf of
// squares without weight has none: 0 / 0 is not a number, and no comparison chooses it.
template <class Loss, class V, class I>
inline V native_ticks(const V* sums, const NativeModel& model) {
    constexpr double down = 0.5 - 0x1p-20;  // a whole number stays what it is
    const V ticks = Loss::template benefit<V, I>(sums, model.n_values, model.parameter) * model.factor;
    return (ticks - down + 0x1.8p52) - 0x1.8p52;
}

// `a` where it is larger, else `b`, also where `a` is not a number.
inline AnyVec larger_of(AnyVec a, AnyVec b) {
#if STREED_VECTOR_BYTES == 64
    return _mm512_max_pd(a, b);
#elif STREED_VECTOR_BYTES == 32
    return _mm256_max_pd(a, b);
#else
    return a > b ? a : b;
#endif
}

inline double largest_of(AnyVec values) {
    double largest = values[0];
    for (int k = 1; k < kLanes<double>; ++k) largest = larger(largest, values[k]);
    return largest;
}

template <class Loss>
void loss_costs(const NativeModel& model, const double* sums, std::size_t n, double* ticks) {
    constexpr int most = 64;
    constexpr std::size_t width = static_cast<std::size_t>(kLanes<double>);
    const int last = model.n_values - 1;
    const AnyVec zero{};
    alignas(kVectorBytes) AnyVec wide[most];
    double own[most];
    std::size_t k = 0;
    for (; k + width <= n; k += width) {
        for (int m = 0; m <= last; ++m) wide[m] = at(sums + static_cast<std::size_t>(m) * n + k);
        const AnyVec benefit = native_ticks<Loss, AnyVec, Bits>(wide, model);
        at(ticks + k) = wide[last] - (Loss::size(wide, model.n_values) > 0.0 ? benefit : zero);
    }
    for (; k < n; ++k) {
        for (int m = 0; m <= last; ++m) own[m] = sums[static_cast<std::size_t>(m) * n + k];
        const double benefit = native_ticks<Loss, double, long long>(own, model);
        ticks[k] = own[last] - (Loss::size(own, model.n_values) > 0.0 ? benefit : 0.0);
    }
}

// Ticks of n leaves from their sums [statistic][leaf], in the units of the search.
void native_costs(const NativeModel& model, const double* sums, std::size_t n, double* ticks) {
    NativeLosses::visit(model.loss, [&]<class Loss>(Loss) { loss_costs<Loss>(model, sums, n, ticks); });
}

// The best benefits of the cells of a pair, for both of its features as the root.
struct BestSplits {
    AnyVec right, left;  // of the root of the row, over all lanes so far

    void take(const AnyVec* ticks, double* other_right, double* other_left) {
        right = larger_of(ticks[0] + ticks[1], right);
        left = larger_of(ticks[2] + ticks[3], left);
        at(other_right) = larger_of(ticks[0] + ticks[2], at(other_right));
        at(other_left) = larger_of(ticks[1] + ticks[3], at(other_left));
    }
};

// N is the number of statistics in the table if it is known when compiling, else zero.
template <class Loss, int N>
void typed_native_splits(const Frame& frame, const PairProblem& problem, const NativeModel& model,
                         const NativeSplits& out) {
    constexpr int most = N > 0 ? N : 64;
    const int summed = N > 0 ? N : model.n_values - 1;  // all but the potential
    const bool counted = model.least > 1;
    const HalfRows filled(frame);
    const int stride = frame.stride, lanes = filled.lanes;
    const std::size_t size = static_cast<std::size_t>(stride) * static_cast<std::size_t>(stride);
    const double* singles = static_cast<const double*>(problem.singles);
    const double* totals = static_cast<const double*>(problem.totals);
    const AnyVec none = AnyVec{} - 1e300;
    const double least = counted ? model.least : 0x1p-1022;  // the size of an empty cell is zero
    const auto channel = [&](int m) { return m < summed ? m : model.n_values; };
    const int channels = summed + (counted ? 1 : 0);
    const auto size_of = [&](const AnyVec* sums) {
        return counted ? sums[summed] : Loss::size(sums, summed + 1);
    };
    // With weights of very different sizes rows may have lost theirs to the grid: they cost nothing.
    const auto ticks_of = [&](const AnyVec* sums) {
        const AnyVec ticks = native_ticks<Loss, AnyVec, Bits>(sums, model);
        return counted ? (Loss::size(sums, summed + 1) >= 0x1p-1022 ? ticks : AnyVec{}) : ticks;
    };
    // Both children of every root as leaves.
    for (int j = 0; j < lanes; j += kLanes<double>) {
        alignas(kVectorBytes) AnyVec with[most + 1] = {}, without[most + 1] = {};
        for (int m = 0; m < channels; ++m) {
            with[m] = at(singles + channel(m) * stride + j);
            without[m] = totals[channel(m)] - with[m];
        }
        const auto good = (size_of(with) >= least) & (size_of(without) >= least);
        const AnyVec right = ticks_of(with), left = ticks_of(without);
        at(out.right_leaf + j) = good ? right : none;
        at(out.left_leaf + j) = good ? left : none;
        at(out.right + j) = at(out.left + j) = none;
    }
    for (int k = 0; k < frame.n_idle; ++k) out.right_leaf[frame.idle[k]] = -1e300;
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        if (out.right_leaf[i] <= -1e300) continue;  // cannot be a root, nor a second feature
        const double* row[most + 1];
        const double* whole[most + 1];
        double root[most + 1];
        for (int m = 0; m < channels; ++m) {
            const std::size_t begin = static_cast<std::size_t>(channel(m)) * size +
                                      static_cast<std::size_t>(i) * static_cast<std::size_t>(stride);
            row[m] = static_cast<const double*>(problem.table) + begin;
            whole[m] = problem.minuend == nullptr ? nullptr
                                                  : static_cast<const double*>(problem.minuend) + begin;
            root[m] = singles[channel(m) * stride + i];
        }
        BestSplits best{none, none};
        for (int j = filled.begin(i); j < filled.end(i); j += kLanes<double>) {
            const auto open = at(out.right_leaf + j) > none;
            alignas(kVectorBytes) AnyVec cell[4][most + 1];
            for (int m = 0; m < channels; ++m) {
                const AnyVec own = at(row[m] + j);
                const AnyVec both = whole[m] == nullptr ? own : at(whole[m] + j) - own;
                cell[0][m] = both;
                cell[1][m] = root[m] - both;
                cell[2][m] = at(singles + channel(m) * stride + j) - both;
                cell[3][m] = (totals[channel(m)] - root[m]) - cell[2][m];
            }
            alignas(kVectorBytes) AnyVec ticks[4];
            for (int q = 0; q < 4; ++q) {
                const AnyVec benefit = ticks_of(cell[q]);
                ticks[q] = (size_of(cell[q]) >= least) & open ? benefit : none;
            }
            best.take(ticks, out.right + j, out.left + j);
        }
        out.right[i] = larger(out.right[i], largest_of(best.right));
        out.left[i] = larger(out.left[i], largest_of(best.left));
    }
}

void native_splits(const Frame& frame, const PairProblem& problem, const NativeModel& model,
                   const NativeSplits& out) {
    NativeLosses::visit(model.loss, [&]<class Loss>(Loss) {
        if (model.n_values == Loss::kLeastStatistics)
            typed_native_splits<Loss, Loss::kLeastStatistics - 1>(frame, problem, model, out);
        else if constexpr (Loss::kMostStatistics > Loss::kLeastStatistics)
            typed_native_splits<Loss, 0>(frame, problem, model, out);
    });
}
