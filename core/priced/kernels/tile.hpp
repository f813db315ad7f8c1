// Pair tables are symmetric: tiles of 32 x 32 above the diagonal are computed, the others mirrored.

typedef std::int16_t Short8 __attribute__((vector_size(16), aligned(16), may_alias));
typedef std::int32_t Int4 __attribute__((vector_size(16), aligned(16), may_alias));
typedef std::int64_t Long2 __attribute__((vector_size(16), aligned(16), may_alias));

inline Short8 low2(Short8 a, Short8 b) { return STREED_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
inline Short8 high2(Short8 a, Short8 b) { return STREED_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
inline Int4 low4(Short8 a, Short8 b) {
    return STREED_SHUFFLE(reinterpret_cast<Int4>(a), reinterpret_cast<Int4>(b), 0, 4, 1, 5);
}
inline Int4 high4(Short8 a, Short8 b) {
    return STREED_SHUFFLE(reinterpret_cast<Int4>(a), reinterpret_cast<Int4>(b), 2, 6, 3, 7);
}
inline Long2 low8(Int4 a, Int4 b) {
    return STREED_SHUFFLE(reinterpret_cast<Long2>(a), reinterpret_cast<Long2>(b), 0, 2);
}
inline Long2 high8(Int4 a, Int4 b) {
    return STREED_SHUFFLE(reinterpret_cast<Long2>(a), reinterpret_cast<Long2>(b), 1, 3);
}

// Eight by eight numbers of 16 bits; number by number a tile took longer than counting 300 rows for it.
inline void mirror8(const std::int16_t* from, std::int16_t* to, int stride) {
    Short8 a[8], b[8];
    Int4 c[8];
    for (int r = 0; r < 8; ++r) a[r] = *reinterpret_cast<const Short8*>(from + static_cast<long>(r) * stride);
    for (int r = 0; r < 4; ++r) {
        b[2 * r] = low2(a[2 * r], a[2 * r + 1]);
        b[2 * r + 1] = high2(a[2 * r], a[2 * r + 1]);
    }
    for (int half = 0; half < 2; ++half) {  // rows 0 to 3, 4 to 7
        const Short8* h = b + 4 * half;
        c[4 * half] = low4(h[0], h[2]);
        c[4 * half + 1] = high4(h[0], h[2]);
        c[4 * half + 2] = low4(h[1], h[3]);
        c[4 * half + 3] = high4(h[1], h[3]);
    }
    for (int k = 0; k < 4; ++k) {
        *reinterpret_cast<Long2*>(to + static_cast<long>(2 * k) * stride) = low8(c[k], c[4 + k]);
        *reinterpret_cast<Long2*>(to + static_cast<long>(2 * k + 1) * stride) = high8(c[k], c[4 + k]);
    }
}

inline void mirror_tile(std::int16_t* table, int stride, int bi, int bj) {
    for (int i = 0; i < kBlock; i += 8)
        for (int j = 0; j < kBlock; j += 8)
            mirror8(table + static_cast<long>(bi * kBlock + i) * stride + bj * kBlock + j,
                    table + static_cast<long>(bj * kBlock + j) * stride + bi * kBlock + i, stride);
}

template <class T>
inline void mirror_tile(T* table, int stride, int bi, int bj) {
    for (int i = 0; i < kBlock; ++i)
        for (int j = 0; j < kBlock; ++j)
            table[static_cast<long>(bj * kBlock + j) * stride + bi * kBlock + i] =
                table[static_cast<long>(bi * kBlock + i) * stride + bj * kBlock + j];
}
