// Deviance of events against their expected number: of the sums [a, b, e] a leaf costs e - a log(a / b), the
// Poisson likelihood of events a whose expected number is proportional to b. In survival a is the number of
// events and b the cumulative hazard, of counts a is their sum and b the exposure. Part of
// leaves/native/losses.hpp.

// log(a / b) of positive, normal numbers, by hand: the library has no logarithm for vectors, and all
// instruction sets must round alike. a / b = 2^e m, where the difference of their bits, a coarse logarithm,
// says e: m lies between 0.666 and 1.502. With a' = a / 2^e, log m = 2 atanh(t) with t = (a' - b) / (a' + b),
// |t| < 0.201, which takes one division in all. The polynomial in t^2 is the best one of its degree by
// Remez's exchange; it is off by at most 1.8e-15 of the logarithm of m. Any a without sign may be given if
// the result is multiplied by it; where b is zero it is of no use.
template <class V, class I>
inline V log_of_ratio(V a, V b) {
    I bits, other;
    __builtin_memcpy(&bits, &a, sizeof(a));
    __builtin_memcpy(&other, &b, sizeof(b));
    const I exponent = (bits - other + (1ll << 51)) >> 52;
    bits -= exponent << 52;
    V scaled;
    __builtin_memcpy(&scaled, &bits, sizeof(a));
    // Whole numbers below 2^51 as doubles, without an instruction that not every level has.
    I shifted = exponent + 0x4338000000000000ll;
    V e;
    __builtin_memcpy(&e, &shifted, sizeof(a));
    e -= 0x1.8p52;
    const V t = (scaled - b) / (scaled + b);
    const V u = t * t;
    V sum = u * 0x1.6468067508a65p-4 + 0x1.720ace5b653adp-4;
    sum = sum * u + 0x1.c72ca8e4baee3p-4;
    sum = sum * u + 0x1.24922ca67deffp-3;
    sum = sum * u + 0x1.999999c787cbap-3;
    sum = sum * u + 0x1.5555555549052p-2;
    const V twice = t + t;
    // log 2 in two parts, the first with zeros at its end.
    return e * 0x1.62e42fee00000p-1 + ((twice * (sum * u) + e * 0x1.a39ef35793c76p-33) + twice);
}

struct LogRatio {
    static constexpr const char* kName = "log_ratio";
    static constexpr int kLeastStatistics = 3, kMostStatistics = 3;
    static constexpr int kAlike = 1;
    static constexpr bool kParameter = false;

    static constexpr bool kPacked = false;  // logarithms take so long that nothing is gained
    static constexpr bool kOrdered = false;

    // A leaf may have no event, but it expects some.
    template <class V>
    static V size(const V* sums, int) {
        return sums[1];
    }

    // a (log(a / b) + offset). The offset adds a multiple of a, which is the same for all trees.
    template <class V, class I>
    static V benefit(const V* sums, int, double offset) {
        return sums[0] * (log_of_ratio<V, I>(sums[0], sums[1]) + offset);
    }

    static double per_unit(const double* units) { return units[0]; }
    // The offset that makes the benefit of the root zero.
    static double parameter(double, double a, double b) {
        return a > 0 ? -log_of_ratio<double, long long>(a, b) : 0.0;
    }
    static double unavoidable(double offset) { return offset; }

    // A group (a, b) with the rate r = a / b that joins a leaf of rate f >= r adds at most what it costs at
    // that rate, f b - a - a log(f b / a), where f is at most the greatest rate of all. Where f < r, the
    // fewer events the leaf has the more is added: at most a log(1 + B / b), B expected in all other groups.
    static void most_added(const double* sums, std::size_t groups, std::size_t, double, double* most) {
        double all = 0, greatest = 0;
        for (std::size_t g = 0; g < groups; ++g) {
            const double a = sums[3 * g], b = sums[3 * g + 1];
            all += b;
            if (b > 0 && a > greatest * b) greatest = a / b;
        }
        for (std::size_t g = 0; g < groups; ++g) {
            const double a = sums[3 * g], b = sums[3 * g + 1];
            most[g] = 0;
            if (!(b > 0)) continue;
            const double rest = all > b ? all - b : 0.0;
            const double below = a > 0 ? a * __builtin_log1p(rest / b) : 0.0;
            const double above = greatest * b - a -
                                 (a > 0 ? a * log_of_ratio<double, long long>(greatest * b, a) : 0.0);
            most[g] = (below > above ? below : above) * (1 + 1e-9);  // no less than it is
        }
    }
};
