// Two labels of rows that are counted with a weight per label. Part of kernels/body.hpp.

// Two labels without row counts: with d = weight of the one minus weight of the other, the larger of the two
// is (sum + |d|) / 2, and of |d| in two cells again only the extremes matter (see extremes()).
template <class T, class C, bool Minus>
void scaled_extremes(const Frame& frame, const LeafModel& model, const PairProblem& problem, double* right,
                     double* left, double* work) {
    const int stride = frame.stride;
    const PairSums<T, C, Minus> sums(frame, model, problem, 2, work);
    const C* ones = sums.with;
    const C* others = sums.with + stride;
    const C total[2] = {sums.with[0] + sums.without[0], others[0] + sums.without[stride]};
    for (int begin = 0; begin < stride; begin += kLanes<C>) {
        Vec<C> most_x = {}, least_x = {}, most_y = {}, least_y = {};
        for (int a = 0; a < frame.n_active; ++a) {
            const int i = frame.active[a];
            const Vec<C> x = sums.pairs(0, i, begin) - sums.pairs(1, i, begin);
            const Vec<C> y = static_cast<C>(ones[i] - others[i]) - x;
            most_x = larger(most_x, x);
            least_x = smaller(least_x, x);
            most_y = larger(most_y, y);
            least_y = smaller(least_y, y);
        }
        for (int k = 0; k < kLanes<C>; ++k) {
            const double one = static_cast<double>(ones[begin + k]),
                         other = static_cast<double>(others[begin + k]);
            const double c = one - other;
            const double d = static_cast<double>(total[0]) - static_cast<double>(total[1]) - c;
            const double on_right = larger(2 * static_cast<double>(most_x[k]) - c,
                                           c - 2 * static_cast<double>(least_x[k]));
            const double on_left = larger(2 * static_cast<double>(most_y[k]) - d,
                                          d - 2 * static_cast<double>(least_y[k]));
            right[begin + k] = model.ticks * ((one + other + on_right) / 2);
            left[begin + k] =
                model.ticks *
                ((static_cast<double>(total[0]) + static_cast<double>(total[1]) - one - other + on_left) / 2);
        }
    }
}
