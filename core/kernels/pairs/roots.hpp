// From the benefits of leaves and splits below every root to the best trees with two levels. Part of
// kernels/body.hpp.

// Benefits of the children of every root as leaves, in cost units.
template <class T>
void leaf_benefits(const Frame& frame, const LeafModel& model, const PairProblem& problem, double* right,
                   double* left) {
    using Numbers = Vec<double>;
    const int stride = frame.stride, lanes = used_lanes(frame), n_values = model.n_values;
    const T* singles = static_cast<const T*>(problem.singles);
    const T* totals = static_cast<const T*>(problem.totals);
    const bool absolute = model.kind == LeafKind::signed_difference,
               gain = model.kind == LeafKind::largest_gain;
    const Numbers none = splat(-1e300);
    for (int j = 0; j < lanes; j += kLanes<double>) {
        Numbers most_right = gain ? Numbers{} : none, most_left = most_right;
        for (int k = 0; k < n_values; ++k) {
            const double scale = model.scale != nullptr ? model.scale[k] : 1.0;
            const Numbers own = as_doubles(singles + k * stride + j),
                          rest = static_cast<double>(totals[k]) - own;
            most_right = larger(most_right, scale * own);
            most_left = larger(most_left, scale * rest);
            if (absolute) {
                most_right = larger(most_right, -own);
                most_left = larger(most_left, -rest);
            }
        }
        most_right *= model.ticks;
        most_left *= model.ticks;
        if (model.counted) {
            const double least = model.min_samples_leaf;
            const Numbers size = as_doubles(singles + n_values * stride + j);
            const auto too_small = (size < least) | (static_cast<double>(totals[n_values]) - size < least);
            most_right = too_small ? none : most_right;
            most_left = too_small ? none : most_left;
        }
        *vectors(right + j) = most_right;
        *vectors(left + j) = most_left;
    }
}

// The best trees under a root with at most one, two and three branching nodes, from the benefits of its
// children as leaves and as splits; of one root, or of a vector of them. Where leaves are too small, so are
// those of splits.
struct Number {
    typedef double type;
};
template <class Of>
struct RootBenefit {
    using V = typename Of::type;
    V right, left;  // sides as leaves or split once
    V one, two, three;

    RootBenefit(V leaf_right, V leaf_left, V split_right, V split_left, V price) {
        right = leaf_right < V{} ? leaf_right : larger(leaf_right, split_right);
        left = leaf_left < V{} ? leaf_left : larger(leaf_left, split_left);
        one = leaf_right + leaf_left - price;
        two = larger(right + leaf_left, leaf_right + left) - price;
        three = right + left - price;
    }
    V at_most(int nodes) const { return nodes >= 3 ? three : nodes == 2 ? two : one; }
};

// The best of all roots. Splits are numbers of `ticks` cost units.
template <class Split>
PairBenefit best_roots(int lanes, const LeafModel& model, const double* root_price, double rows, int nodes,
                       const Split* right, const Split* left, double ticks, const double* leaf_right,
                       const double* leaf_left, double* per_root, double* sides, std::size_t stride) {
    using Numbers = Vec<double>;
    const double branch = model.branch_cost;
    Numbers one = splat(-1e300), two = one, three = one;
    for (int j = 0; j < lanes; j += kLanes<double>) {
        const Numbers price = root_price != nullptr ? rows * SecondPrices::lanes(root_price + j) : Numbers{};
        const RootBenefit<VectorOf<double>> root(*vectors(leaf_right + j), *vectors(leaf_left + j),
                                                 as_doubles(right + j) * ticks - branch,
                                                 as_doubles(left + j) * ticks - branch, price);
        one = larger(one, root.one);
        two = larger(two, root.two);
        three = larger(three, root.three);
        if (per_root != nullptr)
            *reinterpret_cast<SecondPrices::Loose*>(per_root + j) = root.at_most(nodes) - branch;
        if (sides != nullptr) {
            *reinterpret_cast<SecondPrices::Loose*>(sides + j) = root.left;
            *reinterpret_cast<SecondPrices::Loose*>(sides + stride +
                                                    static_cast<std::size_t>(j)) = root.right;
        }
    }
    return {{-1e300, largest_lane<double>(one) - branch, largest_lane<double>(two) - branch,
             largest_lane<double>(three) - branch}};
}

// Lanes of features that are not active hold no sums of pairs when rows are weighted: they are not to win.
template <class Benefit>
void mask_idle(const Frame& frame, Benefit* right, Benefit* left) {
    if (frame.counting) return;
    for (int k = 0; k < frame.n_idle; ++k)
        right[frame.idle[k]] = left[frame.idle[k]] = lowest_benefit<Benefit>();
}

// The best splits in the type `Split` (of `ticks` cost units each), then the best roots.
template <class T, class Split>
PairBenefit finish_pairs(const Frame& frame, const LeafModel& model, const PairProblem& problem, int nodes,
                         double* per_root, double* work, double ticks) {
    const int stride = frame.stride;
    double* leaf_right = work + 2 * stride;
    double* leaf_left = work + 3 * stride;
    leaf_benefits<T>(frame, model, problem, leaf_right, leaf_left);
    mask_idle(frame, leaf_right, leaf_left);
    const double* price = problem.prices != nullptr ? problem.prices->now : nullptr;
    const double rows = price != nullptr
                            ? static_cast<double>(static_cast<const T*>(problem.totals)[model.n_values])
                            : 0.0;
    return best_roots<Split>(used_lanes(frame), model, price, rows, nodes,
                             reinterpret_cast<const Split*>(work),
                             reinterpret_cast<const Split*>(work + stride), ticks, leaf_right, leaf_left,
                             per_root, problem.sides, static_cast<std::size_t>(stride));
}
