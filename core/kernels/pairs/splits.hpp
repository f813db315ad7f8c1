// Benefits of a pair table with several channels, limits on leaves or prices. Part of kernels/body.hpp.
//
// The four cells of a pair serve either feature as the root, so every pair is looked at once: row i of the
// table against the lanes j up to i. What root j gains by i is kept in lane j, what root i gains by any j is
// gathered in a vector.

// The type of a sum of two benefits, none of which is negative.
template <class C>
struct SumOf;
template <>
struct SumOf<std::int8_t> {
    using type = std::uint8_t;
};
template <>
struct SumOf<std::int16_t> {
    using type = std::uint16_t;
};
template <>
struct SumOf<std::int32_t> {
    using type = std::uint32_t;
};
template <>
struct SumOf<double> {
    using type = double;
};
template <class C>
using Sum = typename SumOf<C>::type;

template <class C, class Keep>
inline Vec<Sum<C>> only(Keep keep, Vec<Sum<C>> sums) {
    return reinterpret_cast<Vec<Sum<C>>>(reinterpret_cast<Keep>(sums) & keep);
}

// The sums of a problem in the type `C` in which cells are compared: the lane type itself, or a wider one for
// rows that are counted with a weight per label. Sums are scaled when they are loaded, those of the roots
// once for all second features.
template <class T, class C, bool Minus>
struct PairSums {
    typedef T Narrow __attribute__((vector_size(sizeof(T) * kLanes<C>), aligned(sizeof(T)), may_alias));

    const T* table;
    const T* minuend;
    std::size_t stride;
    C* factor;   // [channel], zero where there are no rows
    C* with;     // [channel][lane]
    C* without;  // the rest of the node
    C* end;
    bool scaled;

    PairSums(const Frame& frame, const LeafModel& model, const PairProblem& problem, int channels, void* work)
        : table(static_cast<const T*>(problem.table)),
          minuend(static_cast<const T*>(problem.minuend)),
          stride(static_cast<std::size_t>(frame.stride)),
          factor(static_cast<C*>(work)),
          with(factor + (channels + kLanes<C> - 1) / kLanes<C> * kLanes<C>),
          without(with + channels * frame.stride),
          end(without + channels * frame.stride),
          scaled(model.scale != nullptr) {
        const T* singles = static_cast<const T*>(problem.singles);
        const T* totals = static_cast<const T*>(problem.totals);
        const bool skip_absent = model.kind == LeafKind::largest_sum;
        for (int c = 0; c < channels; ++c) {
            const C scale = c < model.n_values && model.scale != nullptr ? static_cast<C>(model.scale[c])
                                                                         : C{1};
            const C total = static_cast<C>(scale * static_cast<C>(totals[c]));
            const T* __restrict from = singles + c * frame.stride;
            C* __restrict right = with + c * frame.stride;
            C* __restrict left = without + c * frame.stride;
            factor[c] = skip_absent && c < model.n_values && totals[c] == T{} ? C{} : scale;
            for (int j = 0; j < frame.stride; ++j) {
                const C own = static_cast<C>(scale * static_cast<C>(from[j]));
                right[j] = own;
                left[j] = static_cast<C>(total - own);
            }
        }
    }

    // GCC converts the halves of a vector one by one, which is four instructions instead of one.
    static Vec<C> widen(Narrow sums) {
#if STREED_VECTOR_BYTES == 32
        if constexpr (sizeof(T) == 2 && sizeof(C) == 4)
            return reinterpret_cast<Vec<C>>(_mm256_cvtepi16_epi32(reinterpret_cast<__m128i>(sums)));
#endif
        return __builtin_convertvector(sums, Vec<C>);
    }

    Vec<C> pairs(int channel, int i, int begin) const {
        const std::size_t offset =
            (static_cast<std::size_t>(channel) * stride + static_cast<std::size_t>(i)) * stride +
            static_cast<std::size_t>(begin);
        Narrow sums = *reinterpret_cast<const Narrow*>(table + offset);
        if (Minus) sums = *reinterpret_cast<const Narrow*>(minuend + offset) - sums;
        const Vec<C> wide = widen(sums);
        return scaled ? wide * factor[channel] : wide;
    }

    // Calls `each` with the cells of row i and a block of lanes for the channels that have rows: rows with
    // both features, with j only, with i only, with neither. Everything moves on by a stride, so that nothing
    // is worked out per channel.
    template <class Each>
    void each_channel(int first, int last, int i, int begin, Each&& each) const {
        const std::size_t channel = static_cast<std::size_t>(first), plane = stride * stride;
        const T* part = table + channel * plane + static_cast<std::size_t>(i) * stride +
                        static_cast<std::size_t>(begin);
        const T* whole = Minus ? minuend + (part - table) : nullptr;
        const C* right = with + channel * stride + begin;
        const C* left = without + channel * stride + begin;
        const C* own = with + channel * stride + i;
        const C* scale = factor + channel;
        const bool any_scale = scaled;
        for (int c = first; c < last; ++c) {
            if (*scale != C{}) {
                Narrow sums = *reinterpret_cast<const Narrow*>(part);
                if (Minus) sums = *reinterpret_cast<const Narrow*>(whole) - sums;
                Vec<C> both = widen(sums);
                if (any_scale) both = both * *scale;
                const Vec<C> only_i = *own - both;
                const Vec<C> cell[4] = {both, *vectors(right) - both, only_i, *vectors(left) - only_i};
                each(cell);
            }
            part += plane;
            if (Minus) whole += plane;
            right += stride;
            left += stride;
            own += stride;
            ++scale;
        }
    }
};

template <class C>
inline C largest_lane(Vec<C> values) {
    alignas(kVectorBytes) C lanes[kLanes<C>];
    *vectors(lanes) = values;
    C best = lanes[0];
    for (int k = 1; k < kLanes<C>; ++k) best = larger(best, lanes[k]);
    return best;
}

// Benefits of a block of pairs: split of the right and the left child of root j (a lane) by i, and of root i
// by j.
template <class C>
struct Gains {
    Vec<Sum<C>> of[4];

    explicit Gains(const Vec<C> best[4]) {
        const auto sum = [best](int p, int q) {
            return reinterpret_cast<Vec<Sum<C>>>(best[p]) + reinterpret_cast<Vec<Sum<C>>>(best[q]);
        };
        of[0] = sum(0, 1);
        of[1] = sum(2, 3);
        of[2] = sum(0, 2);
        of[3] = sum(1, 3);
    }
    // A split with a leaf that is too small gains nothing.
    template <class Mask>
    void keep(const Mask enough[4]) {
        of[0] = only<C>(enough[0] & enough[1], of[0]);
        of[1] = only<C>(enough[2] & enough[3], of[1]);
        of[2] = only<C>(enough[0] & enough[2], of[2]);
        of[3] = only<C>(enough[1] & enough[3], of[3]);
    }
    template <class Mask>
    void mask_roots(Mask active) {
        of[2] = only<C>(active, of[2]);
        of[3] = only<C>(active, of[3]);
    }
};

// The best gains so far: those of the roots in lanes, and of the root i whose row of the table is read.
template <class C>
struct FreeGains {
    using Out = Sum<C>;
    Out* right;
    Out* left;
    Vec<Out> most_right, most_left;

    void start(int) { most_right = most_left = Vec<Out>{}; }
    void take(const Gains<C>& gains, int begin) {
        *vectors(right + begin) = larger(*vectors(right + begin), gains.of[0]);
        *vectors(left + begin) = larger(*vectors(left + begin), gains.of[1]);
        most_right = larger(most_right, gains.of[2]);
        most_left = larger(most_left, gains.of[3]);
    }
    void finish(int i) {
        right[i] = larger(right[i], largest_lane<Out>(most_right));
        left[i] = larger(left[i], largest_lane<Out>(most_left));
    }
};

// What second tests cost a row: feature i after j, and j after i.
struct SecondPrices {
    using Numbers = Vec<double>;
    typedef double Loose __attribute__((vector_size(kVectorBytes), aligned(sizeof(double)), may_alias));
    const PairPrices* of;
    Numbers now = {}, attribute = {}, group = {}, discounted = {};

    static Numbers lanes(const double* numbers) { return *reinterpret_cast<const Loose*>(numbers); }
    void start(int i) {
        now = splat(of->now[i]);
        attribute = splat(of->attribute[i]);
        group = splat(of->group[i]);
        discounted = splat(of->discounted[i]);
    }
    void after(int j, Numbers& of_i, Numbers& of_j) const {
        const Numbers zero = {};
        const auto own = lanes(of->attribute + j) == attribute;  // paid with the first test
        of_i = own ? zero : now;
        of_j = own ? zero : lanes(of->now + j);
        if (of->grouped) {
            const auto mate = (lanes(of->group + j) == group) & ~own;
            of_i = mate ? discounted : of_i;
            of_j = mate ? lanes(of->discounted + j) : of_j;
        }
    }
};

// Benefits of splits in cost units, less what the rows of the child pay for its test.
template <class C>
struct PricedGains {
    using Numbers = Vec<double>;
    typedef C Part __attribute__((vector_size(sizeof(C) * kLanes<double>), aligned(sizeof(C)), may_alias));
    double* right;
    double* left;
    SecondPrices prices;
    const double* rows_right;  // [root]
    const double* rows_left;
    double ticks;
    Numbers most_right, most_left, own_right, own_left;

    void start(int i) {
        most_right = most_left = Numbers{};
        own_right = splat(rows_right[i]);
        own_left = splat(rows_left[i]);
        prices.start(i);
    }
    void take(const Gains<C>& gains, int begin) {
        alignas(kVectorBytes) C gain[4][kLanes<C>];
        for (int q = 0; q < 4; ++q) *reinterpret_cast<Vec<Sum<C>>*>(gain[q]) = gains.of[q];
        for (int k = 0; k < kLanes<C>; k += kLanes<double>) {
            const auto cost = [&](int q) {
                return ticks * __builtin_convertvector(*reinterpret_cast<const Part*>(&gain[q][k]), Numbers);
            };
            const int j = begin + k;
            Numbers of_i, of_j;
            prices.after(j, of_i, of_j);
            *vectors(right + j) = larger(*vectors(right + j), cost(0) - of_i * *vectors(rows_right + j));
            *vectors(left + j) = larger(*vectors(left + j), cost(1) - of_i * *vectors(rows_left + j));
            most_right = larger(most_right, cost(2) - of_j * own_right);
            most_left = larger(most_left, cost(3) - of_j * own_left);
        }
    }
    void finish(int i) {
        right[i] = larger(right[i], largest_lane<double>(most_right));
        left[i] = larger(left[i], largest_lane<double>(most_left));
    }
};

template <class T, class C, bool Minus, class Best>
void every_pair(const Frame& frame, const LeafModel& model, const PairSums<T, C, Minus>& given, Best best) {
    const PairSums<T, C, Minus> sums = given;  // of its own, so that nothing is read again
    const int stride = frame.stride, n_active = frame.n_active, n_values = model.n_values;
    const std::int32_t* features = frame.active;
    const bool limited = model.min_samples_leaf > 1;
    const bool absolute = model.kind == LeafKind::signed_difference;
    const Vec<C> least = splat<C>(static_cast<C>(limited ? model.min_samples_leaf : 0));
    using Mask = decltype(least < least);
    C* active = sums.end;
    for (int j = 0; j < stride; j += kLanes<C>)
        *vectors(active + j) = reinterpret_cast<Vec<C>>(least == least);
    for (int k = 0; k < frame.n_idle; ++k) active[frame.idle[k]] = C{};
    for (int j = 0; j < stride; ++j) best.right[j] = best.left[j] = 0;
    for (int a = 0; a < n_active; ++a) {
        const int i = features[a];
        best.start(i);
        for (int begin = 0; begin <= i; begin += kLanes<C>) {
            Vec<C> most[4] = {};
            sums.each_channel(0, n_values, i, begin, [&](const Vec<C> cell[4]) {
                for (int q = 0; q < 4; ++q) most[q] = larger(most[q], cell[q]);
                if (absolute)
                    for (int q = 0; q < 4; ++q) most[q] = larger(most[q], -cell[q]);
            });
            Gains<C> gains(most);
            if (limited)
                sums.each_channel(n_values, n_values + 1, i, begin, [&](const Vec<C> cell[4]) {
                    const Mask enough[4] = {cell[0] >= least, cell[1] >= least, cell[2] >= least,
                                            cell[3] >= least};
                    gains.keep(enough);
                });
            gains.mask_roots(reinterpret_cast<Mask>(*vectors(active + begin)));
            best.take(gains, begin);
        }
        best.finish(i);
    }
}

// Benefits of the best splits below every root, none less than zero: sums of two cells. `work` has room for
// 2 * channels + 3 rows and channels + 8 more doubles, here and below.
template <class T, class C, bool Minus>
void free_splits(const Frame& frame, const LeafModel& model, const PairProblem& problem, Sum<C>* right,
                 Sum<C>* left, double* work) {
    const int channels = model.n_values + (model.min_samples_leaf > 1 ? 1 : 0);
    const PairSums<T, C, Minus> sums(frame, model, problem, channels, work);
    every_pair(frame, model, sums, FreeGains<C>{right, left, {}, {}});
}

// Benefits of the best splits of both children of every root where tests have prices, in cost units.
template <class T, class C, bool Minus>
void priced_splits(const Frame& frame, const LeafModel& model, const PairProblem& problem, double* right,
                   double* left, double* work) {
    const int stride = frame.stride;
    const int channels = model.n_values + (model.min_samples_leaf > 1 ? 1 : 0);
    double* rows_right = work;
    double* rows_left = work + stride;
    const PairSums<T, C, Minus> sums(frame, model, problem, channels, work + 2 * stride);
    const T* sizes = static_cast<const T*>(problem.singles) + model.n_values * stride;
    const double all = static_cast<double>(static_cast<const T*>(problem.totals)[model.n_values]);
    for (int j = 0; j < stride; ++j) {
        rows_right[j] = static_cast<double>(sizes[j]);
        rows_left[j] = all - rows_right[j];
    }
    every_pair(
        frame, model, sums,
        PricedGains<C>{right, left, {problem.prices}, rows_right, rows_left, model.ticks, {}, {}, {}, {}});
}
