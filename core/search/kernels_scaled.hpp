// Benefits of a pair table of rows that are counted with a weight per label. Part of kernels_impl.hpp.

// Rows that are counted, with a weight per label: the same, with sums scaled when they are loaded (those of the roots once
// for all second features), in a number type `C` that holds the weight of all rows.
template <class T, class C>
struct Scaled {
    typedef T Narrow __attribute__((vector_size(sizeof(T) * kLanes<C>), aligned(sizeof(T)), may_alias));

    const Frame& frame;
    const LeafModel& model;
    const PairProblem& problem;
    C* with;     // [channel][lane], scaled
    C* without;  // the rest of the node

    Scaled(const Frame& f, const LeafModel& m, const PairProblem& p, int channels, double* work)
        : frame(f), model(m), problem(p), with(reinterpret_cast<C*>(work)), without(with + channels * f.stride) {
        const T* singles = static_cast<const T*>(p.singles);
        for (int c = 0; c < channels; ++c) {
            const C factor = scale(c);
            const C total = static_cast<C>(factor * static_cast<C>(static_cast<const T*>(p.totals)[c]));
            for (int j = 0; j < f.stride; ++j) {
                with[c * f.stride + j] = static_cast<C>(factor * static_cast<C>(singles[c * f.stride + j]));
                without[c * f.stride + j] = total - with[c * f.stride + j];
            }
        }
    }

    C scale(int channel) const { return channel < model.n_values ? static_cast<C>(model.scale[channel]) : C{1}; }

    template <bool Minus>
    Vec<C> pairs(int channel, int i, int begin) const {
        const std::size_t stride = static_cast<std::size_t>(frame.stride);
        const std::size_t offset = (static_cast<std::size_t>(channel) * stride + static_cast<std::size_t>(i)) * stride + static_cast<std::size_t>(begin);
        Narrow sums = *reinterpret_cast<const Narrow*>(static_cast<const T*>(problem.table) + offset);
        if (Minus) sums = *reinterpret_cast<const Narrow*>(static_cast<const T*>(problem.minuend) + offset) - sums;
        return __builtin_convertvector(sums, Vec<C>) * scale(channel);
    }
};

template <class T, class C, bool Minus, bool Counted, bool Priced>
void scaled_splits(const Frame& frame, const LeafModel& model, const PairProblem& problem, double* right, double* left, double* work) {
    const int stride = frame.stride;
    const int channels = model.n_values + (Counted ? 1 : 0);
    const Scaled<T, C> sums(frame, model, problem, channels, work);
    const T* totals = static_cast<const T*>(problem.totals);
    const C least = static_cast<C>(model.min_samples_leaf);
    for (int begin = 0; begin < stride; begin += kLanes<C>) {
        alignas(kVectorBytes) double best_right[kLanes<C>], best_left[kLanes<C>];
        for (int k = 0; k < kLanes<C>; ++k) best_right[k] = best_left[k] = -1e300;
        for (int a = 0; a < frame.n_active; ++a) {
            const int i = frame.active[a];
            Vec<C> best[4] = {};
            Vec<C> size[4] = {};
            for (int c = 0; c < channels; ++c) {
                if (totals[c] == 0) continue;  // no such rows
                const Vec<C> x = sums.template pairs<Minus>(c, i, begin);
                const C single = sums.with[c * stride + i];
                const Vec<C> cell[4] = {x, *vectors(sums.with + c * stride + begin) - x, single - x, *vectors(sums.without + c * stride + begin) - single + x};
                if (Counted && c == model.n_values) {
                    for (int q = 0; q < 4; ++q) size[q] = cell[q];
                } else {
                    for (int q = 0; q < 4; ++q) best[q] = larger(best[q], cell[q]);  // none is negative
                }
            }
            alignas(kVectorBytes) C benefit[2][kLanes<C>], rows[2][kLanes<C>], fewest[2][kLanes<C>];
            *vectors(benefit[0]) = best[0] + best[1];
            *vectors(benefit[1]) = best[2] + best[3];
            if (Counted) {
                *vectors(rows[0]) = size[0] + size[1];
                *vectors(rows[1]) = size[2] + size[3];
                *vectors(fewest[0]) = smaller(size[0], size[1]);
                *vectors(fewest[1]) = smaller(size[2], size[3]);
            }
            const double* price = Priced ? problem.prices->second + static_cast<std::size_t>(i) * static_cast<std::size_t>(stride) + static_cast<std::size_t>(begin) : nullptr;
            for (int k = 0; k < kLanes<C>; ++k) {
                double r = model.ticks * static_cast<double>(benefit[0][k]);
                double l = model.ticks * static_cast<double>(benefit[1][k]);
                if (Priced) {
                    r -= price[k] * static_cast<double>(rows[0][k]);
                    l -= price[k] * static_cast<double>(rows[1][k]);
                }
                if (Counted) {
                    r = fewest[0][k] < least ? -1e300 : r;
                    l = fewest[1][k] < least ? -1e300 : l;
                }
                best_right[k] = larger(best_right[k], r);
                best_left[k] = larger(best_left[k], l);
            }
        }
        for (int k = 0; k < kLanes<C>; ++k) {
            right[begin + k] = best_right[k];
            left[begin + k] = best_left[k];
        }
    }
}

// Two labels without row counts: with d = weight of the one minus weight of the other, the larger of the two is
// (sum + |d|) / 2, and of |d| in two cells again only the extremes matter (see extremes()).
template <class T, class C, bool Minus>
void scaled_extremes(const Frame& frame, const LeafModel& model, const PairProblem& problem, double* right, double* left, double* work) {
    const int stride = frame.stride;
    const Scaled<T, C> sums(frame, model, problem, 2, work);
    const C* ones = sums.with;
    const C* others = sums.with + stride;
    const C total[2] = {sums.with[0] + sums.without[0], others[0] + sums.without[stride]};
    for (int begin = 0; begin < stride; begin += kLanes<C>) {
        Vec<C> most_x = {}, least_x = {}, most_y = {}, least_y = {};
        for (int a = 0; a < frame.n_active; ++a) {
            const int i = frame.active[a];
            const Vec<C> x = sums.template pairs<Minus>(0, i, begin) - sums.template pairs<Minus>(1, i, begin);
            const Vec<C> y = static_cast<C>(ones[i] - others[i]) - x;
            most_x = larger(most_x, x);
            least_x = smaller(least_x, x);
            most_y = larger(most_y, y);
            least_y = smaller(least_y, y);
        }
        for (int k = 0; k < kLanes<C>; ++k) {
            const double one = static_cast<double>(ones[begin + k]), other = static_cast<double>(others[begin + k]);
            const double c = one - other;
            const double d = static_cast<double>(total[0]) - static_cast<double>(total[1]) - c;
            const double on_right = larger(2 * static_cast<double>(most_x[k]) - c, c - 2 * static_cast<double>(least_x[k]));
            const double on_left = larger(2 * static_cast<double>(most_y[k]) - d, d - 2 * static_cast<double>(least_y[k]));
            right[begin + k] = model.ticks * ((one + other + on_right) / 2);
            left[begin + k] = model.ticks * ((static_cast<double>(total[0]) + static_cast<double>(total[1]) - one - other + on_left) / 2);
        }
    }
}

template <class T, class C, bool Minus>
void scaled_splits(const Frame& frame, const LeafModel& model, const PairProblem& problem, double* right, double* left, double* work) {
    if (problem.prices != nullptr)
        scaled_splits<T, C, Minus, true, true>(frame, model, problem, right, left, work);
    else if (model.counted)
        scaled_splits<T, C, Minus, true, false>(frame, model, problem, right, left, work);
    else if (model.n_values == 2)
        scaled_extremes<T, C, Minus>(frame, model, problem, right, left, work);
    else
        scaled_splits<T, C, Minus, false, false>(frame, model, problem, right, left, work);
}

template <class T, bool Minus>
void scaled_splits(const Frame& frame, const LeafModel& model, const PairProblem& problem, double* right, double* left, double* work) {
    double weight = 0;
    for (int c = 0; c < model.n_values; ++c) weight += model.scale[c] * static_cast<double>(static_cast<const T*>(problem.totals)[c]);
    if (weight < 0x1p29)
        scaled_splits<T, std::int32_t, Minus>(frame, model, problem, right, left, work);
    else
        scaled_splits<T, double, Minus>(frame, model, problem, right, left, work);
}
