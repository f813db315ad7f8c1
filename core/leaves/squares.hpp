// Squared error about the mean. Part of kernels_impl.hpp.

// V is a double or a vector of them.
template <class V>
struct Squares {
    static V cost(const V* sums, int n_values) {
        V squares = sums[1] * sums[1];
        for (int k = 2; k + 1 < n_values; ++k) squares += sums[k] * sums[k];
        return sums[n_values - 1] - squares / sums[0];
    }
};
