// Lanes of root splits, and sums in some of them: the only part of the kernels that differs between
// instruction sets. Included by kernels/body.hpp, inside the namespace of the level. Everything has internal
// linkage, and no template of the standard library is used: a weak symbol compiled for AVX must never serve
// the baseline.

// Vectors of a walk: as many as leave all sums of two labels (six per vector) in registers.
template <class T>
constexpr int kBlock = kVectorBytes == 64 ? (sizeof(T) == 8   ? 4
                                             : sizeof(T) == 4 ? 2
                                                              : 1)
                       : sizeof(T) == 1   ? 1
                                          : 2;
template <class T>
constexpr int kWalkLanes = kBlock<T> * kLanes<T>;

// One bit per lane and row.
template <bool Long>
struct WordOf {
    using type = std::uint32_t;
};
template <>
struct WordOf<true> {
    using type = std::uint64_t;
};
template <int Lanes>
using Word = typename WordOf<(Lanes > 32)>::type;

template <class T>
struct SignOf {
    using type = T;
};
template <>
struct SignOf<double> {
    using type = std::int64_t;
};

#if STREED_VECTOR_BYTES == 64

template <class T>
using Mask = typename WordOf<sizeof(T) == 1>::type;

template <class T, class W>
inline Mask<T> lanes_of(W word, int vector) {
    return static_cast<Mask<T>>(word >> (vector * kLanes<T>));
}
// In mask registers: a detour through the others costs two transfers per row.
template <class T>
inline Mask<T> other_lanes(Mask<T> mask) {
    if constexpr (sizeof(T) == 1)
        return _knot_mask64(mask);
    else
        return _knot_mask32(mask);
}
template <class T>
inline Mask<T> all_or_none(bool all) {
    return all ? ~Mask<T>{0} : Mask<T>{0};
}

inline Vec<std::int8_t> add_where(Vec<std::int8_t> sum, std::uint64_t mask, Vec<std::int8_t> value) {
    return (Vec<std::int8_t>)_mm512_mask_add_epi8((__m512i)sum, mask, (__m512i)sum, (__m512i)value);
}
inline Vec<std::int16_t> add_where(Vec<std::int16_t> sum, std::uint32_t mask, Vec<std::int16_t> value) {
    return (Vec<std::int16_t>)_mm512_mask_add_epi16((__m512i)sum, mask, (__m512i)sum, (__m512i)value);
}
inline Vec<std::int32_t> add_where(Vec<std::int32_t> sum, std::uint32_t mask, Vec<std::int32_t> value) {
    return (Vec<std::int32_t>)_mm512_mask_add_epi32((__m512i)sum, static_cast<__mmask16>(mask), (__m512i)sum,
                                                    (__m512i)value);
}
inline Vec<double> add_where(Vec<double> sum, std::uint32_t mask, Vec<double> value) {
    return (Vec<double>)_mm512_mask_add_pd((__m512d)sum, static_cast<__mmask8>(mask), (__m512d)sum,
                                           (__m512d)value);
}
// The larger (smaller) one of both where the mask has lanes, else the first one. The other levels compare
// with zero there, which the first one is never below (above).
#define STREED_EXTREMES(T, suffix, from, cast)                                                     \
    inline Vec<T> larger_where(Vec<T> known, Mask<T> mask, Vec<T> value) {                         \
        return (Vec<T>)_mm512_mask_max_##suffix((from)known, static_cast<cast>(mask), (from)known, \
                                                (from)value);                                      \
    }                                                                                              \
    inline Vec<T> smaller_where(Vec<T> known, Mask<T> mask, Vec<T> value) {                        \
        return (Vec<T>)_mm512_mask_min_##suffix((from)known, static_cast<cast>(mask), (from)known, \
                                                (from)value);                                      \
    }
STREED_EXTREMES(std::int8_t, epi8, __m512i, __mmask64)
STREED_EXTREMES(std::int16_t, epi16, __m512i, __mmask32)
STREED_EXTREMES(std::int32_t, epi32, __m512i, __mmask16)
STREED_EXTREMES(double, pd, __m512d, __mmask8)
#undef STREED_EXTREMES

#else

template <class T>
using Mask = Vec<typename SignOf<T>::type>;

// Lane l of a vector tests bit l of its part of the word. For bytes the part is first spread, eight lanes per
// byte.
template <class T>
struct BitOf {
    static inline Mask<T> bits() {
        using S = typename SignOf<T>::type;
        Mask<T> out{};
        for (int lane = 0; lane < kLanes<T>; ++lane)
            out[lane] = static_cast<S>(1ull << (lane % (8 * static_cast<int>(sizeof(T)))));
        return out;
    }
};
template <class T, class W>
inline Mask<T> lanes_of(W word, int vector) {
    using S = typename SignOf<T>::type;
    const Mask<T> bits = BitOf<T>::bits();
#if STREED_VECTOR_BYTES == 32
    if constexpr (sizeof(T) == 1) {
        const __m256i spread = _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101,
                                                 0);
        return ((Mask<T>)_mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(word)), spread) & bits) ==
               bits;
    }
#endif
    return (splat<S>(static_cast<S>(word >> (vector * kLanes<T>))) & bits) == bits;
}
template <class T>
inline Mask<T> other_lanes(Mask<T> mask) {
    return ~mask;
}
template <class T>
inline Mask<T> all_or_none(bool all) {
    using S = typename SignOf<T>::type;
    return splat<S>(static_cast<S>(-static_cast<int>(all)));
}
template <class V, class M>
inline V keep(M mask, V value) {
    return (V)(mask & (M)value);
}
template <class V, class M>
inline V add_where(V sum, M mask, V value) {
    return sum + keep(mask, value);
}
template <class V, class M>
inline V larger_where(V known, M mask, V value) {
    return larger(known, keep(mask, value));
}
template <class V, class M>
inline V smaller_where(V known, M mask, V value) {
    return smaller(known, keep(mask, value));
}

#endif
