// What the children of a feature can gain at most, since a tree has no more labels than leaves. Part of kernels_impl.hpp.
//
// A child that splits once more falls into two cells of the pair table. A cell is a leaf, or it has `Labels` labels at most:
// whatever its further tests are, it gains no more than its largest `Labels` sums, and pays for one test at least.

// The largest sums of the four cells of a block of pairs, in falling order.
template <class C, int Labels>
struct LargestSums {
    Vec<C> of[4][Labels] = {};

    void add(const Vec<C> cell[4]) {
        for (int q = 0; q < 4; ++q) {
            Vec<C> rest = cell[q];
            for (int l = 0; l < Labels; ++l) {
                const Vec<C> most = larger(of[q][l], rest);
                rest = smaller(of[q][l], rest);
                of[q][l] = most;
            }
        }
    }
    Vec<C> sum(int q) const {
        Vec<C> all = of[q][0];
        for (int l = 1; l < Labels; ++l) all += of[q][l];
        return all;
    }
};

// Some lanes of sums as cost units, or all of them where they are whole units already.
template <class C, class N>
inline Vec<N> in_costs(const Vec<C>& numbers, int begin, N ticks) {
    if constexpr (sizeof(C) == 4 && sizeof(N) == 4) {
        return numbers;
    } else {
        typedef C Part __attribute__((vector_size(sizeof(C) * kLanes<N>), aligned(sizeof(C)), may_alias));
        return ticks * __builtin_convertvector(*reinterpret_cast<const Part*>(reinterpret_cast<const C*>(&numbers) + begin), Vec<N>);
    }
}

// What tests cost in a node: of a second one by lane, of a third one at least, and how many rows would pay.
template <class T, class N>
struct TestCosts {
    PriceLanes<N> lanes{};
    N* rows_right;
    N* rows_left;
    N* next;

    // `work` has room for three rows of doubles; a test that is not to be had at all is as dear as any.
    TestCosts(const Frame& frame, const LeafModel& model, const PairProblem& problem, double* work)
        : rows_right(reinterpret_cast<N*>(work)), rows_left(rows_right + frame.stride), next(rows_left + frame.stride) {
        const int stride = frame.stride;
        const bool priced = problem.prices != nullptr;
        double unit = 1, dearest = 1e30;
        if constexpr (sizeof(N) == 4) {
            unit = model.unit;
            lanes = price_lanes(*problem.prices, unit, stride, next + stride);
            dearest = 0;
            for (int j = 0; j < stride; ++j) dearest = larger(dearest, problem.prices->now[j]);
        } else if (priced) {
            lanes = price_lanes(*problem.prices);
        }
        for (int j = 0; j < stride; ++j) {
            rows_right[j] = priced ? static_cast<N>(static_cast<const T*>(problem.singles)[model.n_values * stride + j]) : N{};
            rows_left[j] = priced ? static_cast<N>(static_cast<const T*>(problem.totals)[model.n_values]) - rows_right[j] : N{};
            next[j] = priced ? static_cast<N>(smaller(problem.prices->next[j], dearest) / unit) : N{};
        }
    }
};

// Costs in `N`: cost units, or whole units of the model. `lowest` is less than anything that is gained.
template <class T, class C, class N, int Labels, bool Priced>
void label_splits(const Frame& frame, const LeafModel& model, const PairProblem& problem, N* right, N* left, N lowest, double* work) {
    constexpr bool kWhole = sizeof(N) == 4;
    const int stride = frame.stride;
    const int n_values = model.n_values;
    const int channels = n_values + (Priced ? 1 : 0);
    const TestCosts<T, N> tests(frame, model, problem, work);
    double* rest = work + (kWhole ? 5 : 3) * stride;
    N* usable = reinterpret_cast<N*>(rest);  // all bits or none
    const PairSums<T, C, false> sums(frame, model, problem, channels, rest + stride, kWhole ? static_cast<C>(model.ticks / model.unit) : C{1});
    using Mask = decltype(Vec<N>{} < Vec<N>{});
    for (int j = 0; j < stride; ++j) right[j] = left[j] = lowest;
    for (int j = 0; j < stride; j += kLanes<N>) *vectors(usable + j) = reinterpret_cast<Vec<N>>(Vec<N>{} == Vec<N>{});
    for (int k = 0; k < frame.n_idle; ++k) usable[frame.idle[k]] = N{};
    const N ticks = static_cast<N>(kWhole ? 1 : model.ticks), branch = static_cast<N>(kWhole ? 0 : model.branch_cost);
    const Vec<N> nothing = splat(lowest), zero = {};
    SecondPrices<N> prices{tests.lanes};
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        Vec<N> most_right = nothing, most_left = nothing;
        const N use_i = usable[i];
        usable[i] = N{};  // its children are not split by it again
        if (Priced) prices.start(i);
        for (int begin = 0; begin <= i; begin += kLanes<C>) {
            LargestSums<C, Labels> largest;
            Vec<C> sizes[4] = {};
            sums.each_channel(0, n_values, i, begin, [&](const Vec<C> cell[4]) { largest.add(cell); });
            const Vec<C> all[4] = {largest.sum(0), largest.sum(1), largest.sum(2), largest.sum(3)};
            if (Priced)
                sums.each_channel(n_values, n_values + 1, i, begin, [&](const Vec<C> cell[4]) {
                    for (int q = 0; q < 4; ++q) sizes[q] = cell[q];
                });
            for (int k = 0; k < kLanes<C>; k += kLanes<N>) {
                const int j = begin + k;
                Vec<N> gain[4], of_i = {}, of_j = {}, third = {};
                if (Priced) {
                    prices.after(j, of_i, of_j);
                    const Vec<N> after_i = splat(tests.next[i]), after_j = *vectors(tests.next + j);
                    third = smaller(after_i, after_j) == zero ? zero : larger(after_i, after_j);
                }
                for (int q = 0; q < 4; ++q) {
                    const Vec<N> split = in_costs<C, N>(all[q], k, ticks) - branch;
                    gain[q] = larger(in_costs<C, N>(largest.of[q][0], k, ticks), Priced ? split - third * in_costs<C, N>(sizes[q], k, N{1}) : split);
                }
                const Mask use = reinterpret_cast<Mask>(*vectors(usable + j));
                const auto better = [use, nothing](Vec<N> so_far, Vec<N> found) { return larger(so_far, use ? found : nothing); };
                *vectors(right + j) = better(*vectors(right + j), gain[0] + gain[1] - of_i * *vectors(tests.rows_right + j));
                *vectors(left + j) = better(*vectors(left + j), gain[2] + gain[3] - of_i * *vectors(tests.rows_left + j));
                most_right = better(most_right, gain[0] + gain[2] - of_j * splat(tests.rows_right[i]));
                most_left = better(most_left, gain[1] + gain[3] - of_j * splat(tests.rows_left[i]));
            }
        }
        usable[i] = use_i;
        right[i] = larger(right[i], largest_lane<N>(most_right));
        left[i] = larger(left[i], largest_lane<N>(most_left));
    }
}

template <class T, class C, class N, bool Priced>
void most_labels(const Frame& frame, const LeafModel& model, const PairProblem& problem, int labels, N* right, N* left, N lowest, double* work) {
    labels <= 2   ? label_splits<T, C, N, 2, Priced>(frame, model, problem, right, left, lowest, work)
    : labels <= 4 ? label_splits<T, C, N, 4, Priced>(frame, model, problem, right, left, lowest, work)
                  : label_splits<T, C, N, 8, Priced>(frame, model, problem, right, left, lowest, work);
}

template <class T, class C>
void label_gains(const Frame& frame, const LeafModel& model, const PairProblem& problem, int labels, double* right, double* left, const Scratch& scratch) {
    double* work = scratch.work;
    bool whole = false;
    if constexpr (sizeof(C) == 4) {
        whole = problem.prices != nullptr && model.branch_cost == 0 && model.unit != 0 && most_cost<T>(frame, model, problem, 2) < 0x1p31 * model.unit;
        if (whole) {
            std::int32_t* units_right = reinterpret_cast<std::int32_t*>(work + 4 * frame.stride);  // which is left free for them
            std::int32_t* units_left = units_right + frame.stride;
            most_labels<T, C, std::int32_t, true>(frame, model, problem, labels, units_right, units_left, -0x7fffffff - 1, work);
            for (int j = 0; j < frame.stride; ++j) {
                right[j] = model.unit * units_right[j];
                left[j] = model.unit * units_left[j];
            }
        }
    }
    if (!whole)
        problem.prices != nullptr ? most_labels<T, C, double, true>(frame, model, problem, labels, right, left, -1e300, work)
                                  : most_labels<T, C, double, false>(frame, model, problem, labels, right, left, -1e300, work);
    double* leaf_right = work;
    double* leaf_left = work + frame.stride;
    leaf_benefits<T>(frame, model, problem, leaf_right, leaf_left);
    for (int j = 0; j < used_lanes(frame); ++j) {
        right[j] = larger(leaf_right[j], right[j] - model.branch_cost);
        left[j] = larger(leaf_left[j], left[j] - model.branch_cost);
    }
}
