// Counts of four rows at a time by a byte shuffle: with AVX2, and with AVX-512 that does not count bits. Part
// of the bodies of kernels.
//
// A byte holds four rows of a feature. The table of popcounts of (m & n), n = 0..15, for the four rows m of
// one feature is fetched by a broadcast load, and a byte shuffle by the rows of 32 or 64 features counts what
// they share; there is no AND.
#if defined(STREED_NIBBLES)
struct NibbleCounts {
    alignas(64) std::uint8_t of[16][16] = {};
    constexpr NibbleCounts() {
        for (int m = 0; m < 16; ++m)
            for (int n = 0; n < 16; ++n)
                for (int bits = m & n; bits != 0; bits &= bits - 1) ++of[m][n];
    }
};
constexpr NibbleCounts kNibbleCounts;

// The counts for a feature whose four rows are given times 16, in all parts of 16 bytes.
inline Bytes nibble_counts(std::uint8_t rows16) {
    const __m128i* counts = reinterpret_cast<const __m128i*>(&kNibbleCounts.of[0][0] + rows16);
#if STREED_VECTOR_BYTES == 64
    return reinterpret_cast<Bytes>(_mm512_broadcast_i32x4(_mm_load_si128(counts)));
#else
    return reinterpret_cast<Bytes>(_mm256_broadcastsi128_si256(_mm_load_si128(counts)));
#endif
}

inline Bytes look_up(Bytes table, Bytes positions) {
#if STREED_VECTOR_BYTES == 64
    return reinterpret_cast<Bytes>(
        _mm512_shuffle_epi8(reinterpret_cast<__m512i>(table), reinterpret_cast<__m512i>(positions)));
#else
    return reinterpret_cast<Bytes>(
        _mm256_shuffle_epi8(reinterpret_cast<__m256i>(table), reinterpret_cast<__m256i>(positions)));
#endif
}
#endif
