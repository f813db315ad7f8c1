// What the children of a feature can gain at most, since a tree has no more labels than leaves. Part of
// kernels/body.hpp.
//
// A child that splits once more falls into two cells of the pair table. A cell is a leaf, or it has `Labels`
// labels at most: whatever its further tests are, it gains no more than its largest `Labels` sums, and pays
// for one test at least.

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

// Gains in whole units, rounded up where the model's unit does not fit.
template <class T, int Labels>
class UnitLabels : UnitTable<T> {
    using Table = UnitTable<T>;
    using Table::block, Table::sums, Table::frame_, Table::model_, Table::problem_, Table::values_,
        Table::step_, Table::last_, Table::lanes_, Table::factor_;

public:
    UnitLabels(const Frame& frame, const LeafModel& model, const PairProblem& problem, double unit,
               Rounding rounding, double* work)
        : Table(frame, model, problem, unit, rounding, work),
          unit_(unit),
          branch_(splat(static_cast<std::int32_t>(smaller(model.branch_cost / unit, 0x1p30)))) {}

    void solve(double* right, double* left) {
        const bool priced = problem_.prices != nullptr, grouped = priced && problem_.prices->grouped;
        const double dearest = dearest_test(frame_, problem_);
        for (int j = 0; j <= last_; ++j)  // an unavailable test costs as much as the dearest one
            if (priced)
                Table::set_lane(
                    block(j).next, j,
                    static_cast<std::int32_t>(smaller(problem_.prices->next[j], dearest) / unit_));
        for (int begin = 0; begin <= last_; begin += kUnitLanes)
            block(begin).right = block(begin).left = nothing();
        this->each_row(nothing(), [&](int i, Units& on_right, Units& on_left) {
            const int lane = i % kUnitLanes;
            UnitLanes& mine = block(i);
            const std::int32_t use = lane_of(mine.active, lane);
            Table::set_lane(mine.active, i, 0);  // its children are not split by it again
            if (!priced)
                row<false, false>(i, on_right, on_left);
            else
                grouped ? row<true, true>(i, on_right, on_left) : row<true, false>(i, on_right, on_left);
            Table::set_lane(mine.active, i, use);
        });
        for (int j = 0; j <= last_; ++j) {
            right[j] = unit_ * lane_of(block(j).right, j % kUnitLanes);
            left[j] = unit_ * lane_of(block(j).left, j % kUnitLanes);
        }
    }

private:
    static Units nothing() {
        return splat<std::int32_t>(-0x7fffffff - 1);
    }  // less than anything that is gained

    template <bool Priced, bool Grouped>
    void row(int i, Units& gained_right, Units& gained_left) {
        const int lane = i % kUnitLanes;
        UnitLanes& mine = block(i);
        const Units own_right = splat(lane_of(mine.rows_right, lane)),
                    own_left = splat(lane_of(mine.rows_left, lane));
        const Units after_i = splat(lane_of(mine.next, lane)), zero = {};
        const UnitPrices<Grouped> prices(mine, lane);
        const std::size_t stride = static_cast<std::size_t>(frame_.stride), plane = stride * stride,
                          values = static_cast<std::size_t>(values_);
        const T* part = static_cast<const T*>(problem_.table) + static_cast<std::size_t>(i) * stride;
        Units* at = lanes_;
        for (int begin = 0; begin <= i; begin += kUnitLanes, at += step_, part += kUnitLanes) {
            UnitLanes& theirs = *reinterpret_cast<UnitLanes*>(at);
            LargestSums<std::int32_t, Labels> largest;
            for (std::size_t c = 0; c < values; ++c) {
                if (factor_[c] == 0) continue;
                const Units both = factor_[c] * widened(part + c * plane),
                            only_i = lane_of(sums(mine)[c], lane) - both;
                const Units cell[4] = {both, at[kUnitVectors + c] - both, only_i,
                                       at[kUnitVectors + values + c] - only_i};
                largest.add(cell);
            }
            Units of_i = {}, of_j = {}, third = {}, size[4] = {};
            if constexpr (Priced) {
                prices.after(theirs, of_i, of_j);
                third = larger(after_i, theirs.next) & ~(smaller(after_i, theirs.next) == zero);
                size[0] = widened(part + values * plane);
                size[1] = theirs.rows_right - size[0];
                size[2] = own_right - size[0];
                size[3] = theirs.rows_left - size[2];
            }
            Units gain[4];
            for (int q = 0; q < 4; ++q) {
                const Units split = largest.sum(q) - branch_;
                gain[q] = larger(largest.of[q][0], Priced ? split - third * size[q] : split);
            }
            const auto better = [&](Units so_far, Units found) {
                return larger(so_far, (found & theirs.active) | (nothing() & ~theirs.active));
            };
            theirs.right = better(theirs.right,
                                  Priced ? gain[0] + gain[1] - of_i * theirs.rows_right : gain[0] + gain[1]);
            theirs.left = better(theirs.left,
                                 Priced ? gain[2] + gain[3] - of_i * theirs.rows_left : gain[2] + gain[3]);
            gained_right = better(gained_right,
                                  Priced ? gain[0] + gain[2] - of_j * own_right : gain[0] + gain[2]);
            gained_left = better(gained_left,
                                 Priced ? gain[1] + gain[3] - of_j * own_left : gain[1] + gain[3]);
        }
    }

    double unit_;
    Units branch_;
};

// Real sums.
template <int Labels>
void real_label_splits(const Frame& frame, const LeafModel& model, const PairProblem& problem, double* right,
                       double* left, double* work) {
    using Numbers = Vec<double>;
    const int stride = frame.stride, n_values = model.n_values;
    const bool priced = problem.prices != nullptr;
    const Numbers nothing = splat(-1e300), zero = {};
    double* usable = work;  // one or zero
    const PairSums<double, double, false> sums(frame, model, problem, n_values + (priced ? 1 : 0),
                                               work + stride);
    const double* rows = static_cast<const double*>(problem.singles) + n_values * stride;
    const double all = priced ? static_cast<const double*>(problem.totals)[n_values] : 0.0;
    for (int j = 0; j < stride; ++j) {
        right[j] = left[j] = -1e300;
        usable[j] = 0;
    }
    for (int a = 0; a < frame.n_active; ++a) usable[frame.active[a]] = 1;
    SecondPrices prices{problem.prices};
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        Numbers most_right = nothing, most_left = nothing;
        usable[i] = 0;  // its children are not split by it again
        if (priced) prices.start(i);
        for (int j = 0; j <= i; j += kLanes<double>) {
            LargestSums<double, Labels> largest;
            sums.each_channel(0, n_values, i, j, [&](const Numbers cell[4]) { largest.add(cell); });
            Numbers gain[4], of_i = {}, of_j = {}, right_j = {}, right_i = {}, left_j = {}, left_i = {};
            for (int q = 0; q < 4; ++q) gain[q] = model.ticks * largest.sum(q) - model.branch_cost;
            if (priced) {
                prices.after(j, of_i, of_j);
                const Numbers after_i = splat(problem.prices->next[i]),
                              after_j = SecondPrices::lanes(problem.prices->next + j);
                const Numbers third = smaller(after_i, after_j) == zero ? zero : larger(after_i, after_j);
                sums.each_channel(n_values, n_values + 1, i, j, [&](const Numbers size[4]) {
                    for (int q = 0; q < 4; ++q) gain[q] -= third * size[q];
                });
                const Numbers with = SecondPrices::lanes(rows + j);
                right_j = of_i * with;
                left_j = of_i * (all - with);
                right_i = of_j * rows[i];
                left_i = of_j * (all - rows[i]);
            }
            for (int q = 0; q < 4; ++q) gain[q] = larger(model.ticks * largest.of[q][0], gain[q]);
            const auto use = *vectors(usable + j) != zero;
            const auto better = [use, nothing](Numbers so_far, Numbers found) {
                return larger(so_far, use ? found : nothing);
            };
            *vectors(right + j) = better(*vectors(right + j), gain[0] + gain[1] - right_j);
            *vectors(left + j) = better(*vectors(left + j), gain[2] + gain[3] - left_j);
            most_right = better(most_right, gain[0] + gain[2] - right_i);
            most_left = better(most_left, gain[1] + gain[3] - left_i);
        }
        usable[i] = 1;
        right[i] = larger(right[i], largest_lane<double>(most_right));
        left[i] = larger(left[i], largest_lane<double>(most_left));
    }
}

template <class T, int Labels>
void label_splits(const Frame& frame, const LeafModel& model, const PairProblem& problem, double* right,
                  double* left, double* work) {
    if constexpr (sizeof(T) == 8) {
        real_label_splits<Labels>(frame, model, problem, right, left, work);
    } else {
        const double most = most_cost<T>(frame, model, problem, 2);
        const bool whole = model.unit != 0 && model.branch_cost == 0 && most < 0x1p31 * model.unit;
        UnitLabels<T, Labels>(frame, model, problem, whole ? model.unit : rounded_unit(most),
                              whole ? Rounding::nearest : Rounding::up, work)
            .solve(right, left);
    }
}

template <class T>
void label_gains(const Frame& frame, const LeafModel& model, const PairProblem& problem, int labels,
                 double* right, double* left, const Scratch& scratch) {
    double* work = scratch.work;
    labels <= 2   ? label_splits<T, 2>(frame, model, problem, right, left, work)
    : labels <= 4 ? label_splits<T, 4>(frame, model, problem, right, left, work)
                  : label_splits<T, 8>(frame, model, problem, right, left, work);
    double* leaf_right = work;
    double* leaf_left = work + frame.stride;
    leaf_benefits<T>(frame, model, problem, leaf_right, leaf_left);
    for (int j = 0; j < used_lanes(frame); ++j) {
        right[j] = larger(leaf_right[j], right[j] - model.branch_cost);
        left[j] = larger(leaf_left[j], left[j] - model.branch_cost);
    }
}
