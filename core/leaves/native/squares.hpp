// Squared error about the mean: of the sums [n, s_1, ..., s_m, q] a leaf costs q - (s_1^2 + ... + s_m^2) / n.
// n is the weight of the rows, s_k that of target k, q the sum of squares. Part of leaves/native/losses.hpp.
//
// A tree of k leaves costs no less than the best k groups of sorted targets (groups.hpp), which as a share of
// the optimum of depth 5 with a price of 0.001 per node is 0.99 at the root of carbon, airfoil 0.79 and
// query1 0.63 (most of it the waste of equal rows), concrete 0.14; grid at depth 4 without a price 0.01.
struct Squares {
    static constexpr const char* kName = "squares";
    static constexpr int kLeastStatistics = 3, kMostStatistics = 60;
    static constexpr int kAlike = 1;           // from this statistic on all are of one kind and have one unit
    static constexpr bool kParameter = false;  // none is given

    static constexpr bool kPacked = true;   // both sums of one target may go into one number
    static constexpr bool kOrdered = true;  // of one target: the best groups follow its order (groups.hpp)

    // Positive in every leaf with rows.
    template <class V>
    static V size(const V* sums, int) {
        return sums[0];
    }

    // s^2 / n; V is a double or a vector of them, I an integer of the same shape.
    template <class V, class I>
    static V benefit(const V* sums, int n_values, double) {
        V squares = sums[1] * sums[1];
        for (int k = 2; k + 1 < n_values; ++k) squares += sums[k] * sums[k];
        return squares / sums[0];
    }

    // What a benefit of one stands for; the parameter of the benefit, made from the one that is given and
    // from both first sums of all rows; and the parameter with which groups of equal rows have the benefit
    // that they have at most in any leaf.
    static double per_unit(const double* units) { return units[1] * units[1] / units[0]; }
    static double parameter(double, double, double) { return 0; }
    static double unavoidable(double given) { return given; }

    // A group of weight n adds n times the squared distance of its mean to that of the leaf, which lies
    // between the least and the greatest mean of all groups.
    static void most_added(const double* sums, std::size_t groups, std::size_t n_values, double,
                           double* most) {
        double low[kMostStatistics], high[kMostStatistics];
        for (std::size_t m = 1; m + 1 < n_values; ++m) {
            low[m] = 1e300;
            high[m] = -1e300;
            for (std::size_t g = 0; g < groups; ++g) {
                const double* own = sums + g * n_values;
                if (!(own[0] > 0)) continue;
                const double mean = own[m] / own[0];
                low[m] = mean < low[m] ? mean : low[m];
                high[m] = mean > high[m] ? mean : high[m];
            }
        }
        for (std::size_t g = 0; g < groups; ++g) {
            const double* own = sums + g * n_values;
            double far = 0;
            for (std::size_t m = 1; m + 1 < n_values && own[0] > 0; ++m) {
                const double mean = own[m] / own[0];
                const double below = mean - low[m], above = high[m] - mean;
                far += below > above ? below * below : above * above;
            }
            most[g] = own[0] * far * (1 + 1e-9);  // no less than it is, whatever was rounded
        }
    }
};
