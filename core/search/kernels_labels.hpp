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

// Some lanes of a vector as doubles.
template <class C>
inline Vec<double> as_doubles(const Vec<C>& numbers, int begin) {
    typedef C Part __attribute__((vector_size(sizeof(C) * kLanes<double>), aligned(sizeof(C)), may_alias));
    return __builtin_convertvector(*reinterpret_cast<const Part*>(reinterpret_cast<const C*>(&numbers) + begin), Vec<double>);
}

template <class T, class C, int Labels, bool Priced>
void label_splits(const Frame& frame, const LeafModel& model, const PairProblem& problem, double* right, double* left, double* work) {
    typedef std::int64_t Mask __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias));
    const int stride = frame.stride;
    const int n_values = model.n_values;
    double* rows_right = work;
    double* rows_left = work + stride;
    double* next = work + 2 * stride;
    std::int64_t* usable = reinterpret_cast<std::int64_t*>(work + 3 * stride);
    const PairSums<T, C, false> sums(frame, model, problem, n_values + (Priced ? 1 : 0), work + 4 * stride);
    for (int j = 0; j < stride; ++j) {
        right[j] = left[j] = -1e300;
        usable[j] = -1;
        rows_right[j] = Priced ? static_cast<double>(static_cast<const T*>(problem.singles)[n_values * stride + j]) : 0.0;
        rows_left[j] = Priced ? static_cast<double>(static_cast<const T*>(problem.totals)[n_values]) - rows_right[j] : 0.0;
        next[j] = Priced ? problem.prices->next[j] : 0.0;
    }
    for (int k = 0; k < frame.n_idle; ++k) usable[frame.idle[k]] = 0;
    const double ticks = model.ticks, branch = model.branch_cost;
    const Vec<double> nothing = splat(-1e300), zero = {};
    SecondPrices prices{problem.prices};
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        Vec<double> most_right = nothing, most_left = nothing;
        usable[i] = 0;  // its children are not split by it again
        if (Priced) prices.start(i);
        for (int begin = 0; begin <= i; begin += kLanes<C>) {
            LargestSums<C, Labels> largest;
            Vec<C> cell[4];
            for (int c = 0; c < n_values; ++c) {
                if (static_cast<const T*>(problem.totals)[c] == T{}) continue;
                sums.cells(c, i, begin, cell);
                largest.add(cell);
            }
            const Vec<C> all[4] = {largest.sum(0), largest.sum(1), largest.sum(2), largest.sum(3)};
            if (Priced) sums.cells(n_values, i, begin, cell);
            for (int k = 0; k < kLanes<C>; k += kLanes<double>) {
                const int j = begin + k;
                Vec<double> gain[4], of_i = {}, of_j = {}, third = {};
                if (Priced) {
                    prices.after(j, of_i, of_j);
                    const Vec<double> after_i = splat(next[i]), after_j = *vectors(next + j);
                    third = smaller(after_i, after_j) == zero ? zero : larger(after_i, after_j);
                }
                for (int q = 0; q < 4; ++q) {
                    const Vec<double> split = ticks * as_doubles<C>(all[q], k) - branch;
                    gain[q] = larger(ticks * as_doubles<C>(largest.of[q][0], k), Priced ? split - third * as_doubles<C>(cell[q], k) : split);
                }
                const Mask use = *reinterpret_cast<const Mask*>(usable + j);
                const auto better = [use](Vec<double> so_far, Vec<double> found) { return larger(so_far, use ? found : splat(-1e300)); };
                *vectors(right + j) = better(*vectors(right + j), gain[0] + gain[1] - of_i * *vectors(rows_right + j));
                *vectors(left + j) = better(*vectors(left + j), gain[2] + gain[3] - of_i * *vectors(rows_left + j));
                most_right = better(most_right, gain[0] + gain[2] - of_j * splat(rows_right[i]));
                most_left = better(most_left, gain[1] + gain[3] - of_j * splat(rows_left[i]));
            }
        }
        usable[i] = -1;
        right[i] = larger(right[i], largest_lane<double>(most_right));
        left[i] = larger(left[i], largest_lane<double>(most_left));
    }
}

template <class T, class C>
void label_gains(const Frame& frame, const LeafModel& model, const PairProblem& problem, int labels, double* right, double* left, const Scratch& scratch) {
    double* work = scratch.work;
    if (problem.prices != nullptr)
        labels <= 2   ? label_splits<T, C, 2, true>(frame, model, problem, right, left, work)
        : labels <= 4 ? label_splits<T, C, 4, true>(frame, model, problem, right, left, work)
                      : label_splits<T, C, 8, true>(frame, model, problem, right, left, work);
    else
        labels <= 2   ? label_splits<T, C, 2, false>(frame, model, problem, right, left, work)
        : labels <= 4 ? label_splits<T, C, 4, false>(frame, model, problem, right, left, work)
                      : label_splits<T, C, 8, false>(frame, model, problem, right, left, work);
    double* leaf_right = work;
    double* leaf_left = work + frame.stride;
    leaf_benefits<T>(frame, model, problem, leaf_right, leaf_left);
    for (int j = 0; j < frame.stride; ++j) {
        right[j] = larger(leaf_right[j], right[j] - model.branch_cost);
        left[j] = larger(leaf_left[j], left[j] - model.branch_cost);
    }
}
