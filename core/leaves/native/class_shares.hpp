// Entropy of classes in natural units, or log loss of smoothed shares: of the weights [n_1, ..., n_K, q] a
// leaf costs q - sum n_k log((n_k + s) / (n + K s)), n being the sum of the weights and s the smoothing,
// which is given. q is zero as it is given. Part of leaves/native/losses.hpp, after log_ratio.hpp, which has
// the logarithm.
struct ClassShares {
    static constexpr const char* kName = "class_shares";
    static constexpr int kLeastStatistics = 3, kMostStatistics = 60;
    static constexpr int kAlike = 0;
    static constexpr bool kParameter = true;

    static constexpr bool kPacked = false;  // as LogRatio
    static constexpr bool kOrdered = false;

    template <class V>
    static V size(const V* sums, int n_values) {
        V all = sums[0];
        for (int k = 1; k + 1 < n_values; ++k) all += sums[k];
        return all;
    }

    // Shares, not n log n: those of a part in proportion are the same, and a split that says nothing gains
    // nothing but by the rounding of products.
    template <class V, class I>
    static V benefit(const V* sums, int n_values, double smoothing) {
        const V all = size(sums, n_values) + (n_values - 1) * smoothing;
        V benefit{};
        for (int k = 0; k + 1 < n_values; ++k)
            benefit += sums[k] * log_of_ratio<V, I>(sums[k] + smoothing, all);
        return benefit;
    }

    static double per_unit(const double*) { return 1; }
    static double parameter(double smoothing, double, double) { return smoothing; }

    // Smoothed, equal rows cost less in a large leaf than alone, but never less than their entropy: no shares
    // cost them less than their own.
    static double unavoidable(double) { return 0; }

    // With h(m, a) = m log(m + a), a group with the weights g_k, w in all, adds to a leaf of weight n
    // h(n + w, Ks) - h(n, Ks) less the sum of h(n_k + g_k, s) - h(n_k, s). All of these differences rise with
    // n and n_k: the most is added to all other rows, none of which has a class of the group.
    static void most_added(const double* sums, std::size_t groups, std::size_t n_values, double smoothing,
                           double* most) {
        const std::size_t classes = n_values - 1;
        const auto h = [](double m, double a) {
            return m > 0 ? m * log_of_ratio<double, long long>(m + a, 1) : 0.0;
        };
        double all = 0;
        for (std::size_t g = 0; g < groups; ++g) all += size(sums + g * n_values, static_cast<int>(n_values));
        const double smooth = static_cast<double>(classes) * smoothing;
        for (std::size_t g = 0; g < groups; ++g) {
            const double* own = sums + g * n_values;
            const double w = size(own, static_cast<int>(n_values));
            double added = 0, size_of_terms = 0;
            const auto add = [&](double term) {
                added += term;
                size_of_terms += term > 0 ? term : -term;
            };
            add(h(all, smooth));
            add(-h(all - w, smooth));
            add(-h(w, 0));
            for (std::size_t k = 0; k < classes; ++k) {
                add(h(own[k], 0));
                add(-h(own[k], smoothing));
            }
            most[g] = (added > 0 ? added : 0.0) + 1e-13 * size_of_terms;  // whatever was rounded
        }
    }
};
