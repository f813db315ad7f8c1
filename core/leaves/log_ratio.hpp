// Deviance of events against their expected number. Part of kernels_impl.hpp.

// Natural logarithm of positive, normal numbers, by hand: the library has none for vectors, and all
// instruction sets must round alike. x = 2^e m with m between sqrt(1/2) and sqrt(2), log m = 2 atanh(t) with
// t = (m - 1) / (m + 1), |t| < 0.172; the series up to t^21 is exact to a few units of the last place.
template <class V, class I>
inline V natural_log(V x) {
    constexpr long long kSqrtHalf = 0x3fe6a09e667f3bcdll;  // bits of sqrt(1/2)
    I bits;
    __builtin_memcpy(&bits, &x, sizeof(x));
    const I exponent = (bits - kSqrtHalf) >> 52;
    bits -= exponent << 52;
    V m;
    __builtin_memcpy(&m, &bits, sizeof(x));
    // Whole numbers below 2^51 as doubles, without an instruction that not every level has.
    I shifted = exponent + 0x4338000000000000ll;
    V e;
    __builtin_memcpy(&e, &shifted, sizeof(x));
    e -= 0x1.8p52;
    const V t = (m - 1.0) / (m + 1.0);
    const V u = t * t;
    V sum = u * (1.0 / 21) + 1.0 / 19;
    sum = sum * u + 1.0 / 17;
    sum = sum * u + 1.0 / 15;
    sum = sum * u + 1.0 / 13;
    sum = sum * u + 1.0 / 11;
    sum = sum * u + 1.0 / 9;
    sum = sum * u + 1.0 / 7;
    sum = sum * u + 1.0 / 5;
    sum = sum * u + 1.0 / 3;
    sum = sum * u;
    // log 2 in two parts, the first with zeros at its end.
    return e * 0x1.62e42fee00000p-1 + ((2.0 * t * sum + e * 0x1.a39ef35793c76p-33) + 2.0 * t);
}

template <class V, class I>
struct LogRatio {
    static V cost(const V* sums, int) {
        const V one = V{} + 1.0;
        const V ratio = sums[0] / sums[1];
        const V safe = sums[0] > 0.0 ? ratio : one;
        return sums[2] - sums[0] * natural_log<V, I>(safe);
    }
};
