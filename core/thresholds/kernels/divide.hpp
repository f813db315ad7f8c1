// The rows of a narrow node divided into those of its children. Included by kernels/body.hpp.
//
// Without AVX-512 both children get every entry, and the next one overwrites what is not a child's own: no
// branch per row. With it, 16 entries are compressed at once. A vector is stored whole: up to 15 entries
// behind the last one are overwritten, which the buffers have room for; columns are divided in their order.

#if STREED_VECTOR_BYTES == 64

inline __mmask16 first_lanes(int n) { return static_cast<__mmask16>(n >= 16 ? 0xffffu : (1u << n) - 1); }
inline __mmask16 without(__mmask16 all, __mmask16 some) { return static_cast<__mmask16>(all & ~some); }

// `upper` are the entries of the upper child among the `valid` ones.
inline void divide_vector(__m512i entries, __mmask16 valid, __mmask16 upper, std::uint32_t*& low,
                          std::uint32_t*& high) {
    const __mmask16 lower = without(valid, upper);
    _mm512_storeu_si512(low, _mm512_maskz_compress_epi32(lower, entries));
    _mm512_storeu_si512(high, _mm512_maskz_compress_epi32(upper, entries));
    low += _mm_popcnt_u32(lower);
    high += _mm_popcnt_u32(upper);
}

inline __mmask16 upper_rows(const std::uint16_t* map, __mmask16 valid) {
    const __m256i sides = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(map));
    return static_cast<__mmask16>(_mm256_movepi16_mask(sides) & valid);
}

int number_rows(const std::int16_t* ranks, int n_rows, std::int32_t rank, std::uint16_t* map) {
    const __m256i limit = _mm256_set1_epi16(static_cast<std::int16_t>(rank));
    const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int n_low = 0, n_high = 0;
    for (int row = 0; row < n_rows; row += 16) {
        const __mmask16 valid = first_lanes(n_rows - row);
        const __m256i own = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ranks + row));
        const __mmask16 upper = static_cast<__mmask16>(_mm256_cmpge_epi16_mask(own, limit) & valid),
                        lower = without(valid, upper);
        const __m512i low = _mm512_add_epi32(iota, _mm512_set1_epi32(n_low)),
                      high = _mm512_add_epi32(iota, _mm512_set1_epi32(n_high | 0x8000));
        const __m512i numbers = _mm512_mask_expand_epi32(_mm512_maskz_expand_epi32(lower, low), upper, high);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(map + row),
                            _mm512_maskz_cvtepi32_epi16(0xffff, numbers));
        n_low += _mm_popcnt_u32(lower);
        n_high += _mm_popcnt_u32(upper);
    }
    return n_low;
}

void divide_order(const std::uint32_t* from, int n_rows, const std::uint16_t* map, std::uint32_t* low,
                  std::uint32_t* high) {
    const __m512i row_bits = _mm512_set1_epi32(0x7fff), rank_bits = _mm512_set1_epi32(0x7fff0000),
                  side_bit = _mm512_set1_epi32(0x8000);
    for (int p = 0; p < n_rows; p += 16) {
        const __mmask16 valid = first_lanes(n_rows - p);
        const __m512i entries = _mm512_loadu_si512(from + p);
        const __m512i to = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), valid,
                                                       _mm512_and_si512(entries, row_bits), map, 2);
        const __m512i moved = _mm512_or_si512(_mm512_and_si512(entries, rank_bits),
                                              _mm512_and_si512(to, row_bits));
        divide_vector(moved, valid, _mm512_mask_test_epi32_mask(valid, to, side_bit), low, high);
    }
}

void divide_ranks(const std::int16_t* from, int n_rows, const std::uint16_t* map, std::int16_t* low,
                  std::int16_t* high) {
    for (int row = 0; row < n_rows; row += 16) {
        const __mmask16 valid = first_lanes(n_rows - row), upper = upper_rows(map + row, valid),
                        lower = without(valid, upper);
        const __m512i ranks = _mm512_maskz_cvtepi16_epi32(
            0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + row)));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(low),
                            _mm512_maskz_cvtepi32_epi16(0xffff, _mm512_maskz_compress_epi32(lower, ranks)));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(high),
                            _mm512_maskz_cvtepi32_epi16(0xffff, _mm512_maskz_compress_epi32(upper, ranks)));
        low += _mm_popcnt_u32(lower);
        high += _mm_popcnt_u32(upper);
    }
}

void divide_words(const std::uint32_t* from, int n_rows, const std::uint16_t* map, std::uint32_t* low,
                  std::uint32_t* high) {
    for (int row = 0; row < n_rows; row += 16) {
        const __mmask16 valid = first_lanes(n_rows - row);
        divide_vector(_mm512_loadu_si512(from + row), valid, upper_rows(map + row, valid), low, high);
    }
}

#else

int number_rows(const std::int16_t* ranks, int n_rows, std::int32_t rank, std::uint16_t* map) {
    std::uint32_t lower = 0, upper = 0;
    for (int row = 0; row < n_rows; ++row) {
        const std::uint32_t side = ranks[row] >= rank;
        map[row] = static_cast<std::uint16_t>(side ? 0x8000u | upper : lower);
        upper += side;
        lower += 1 - side;
    }
    return static_cast<int>(lower);
}

void divide_order(const std::uint32_t* from, int n_rows, const std::uint16_t* map, std::uint32_t* low,
                  std::uint32_t* high) {
    std::size_t n_low = 0, n_high = 0;
    for (int p = 0; p < n_rows; ++p) {
        const std::uint32_t entry = from[p], to = map[entry & 0x7fffu];
        low[n_low] = high[n_high] = (entry & 0x7fff0000u) | (to & 0x7fffu);
        n_high += to >> 15;
        n_low += 1 - (to >> 15);
    }
}

template <class T>
void divide_values(const T* from, int n_rows, const std::uint16_t* map, T* low, T* high) {
    std::size_t n_low = 0, n_high = 0;
    for (int row = 0; row < n_rows; ++row) {
        low[n_low] = high[n_high] = from[row];
        n_high += map[row] >> 15;
        n_low += 1 - (map[row] >> 15);
    }
}

void divide_ranks(const std::int16_t* from, int n_rows, const std::uint16_t* map, std::int16_t* low,
                  std::int16_t* high) {
    divide_values(from, n_rows, map, low, high);
}

void divide_words(const std::uint32_t* from, int n_rows, const std::uint16_t* map, std::uint32_t* low,
                  std::uint32_t* high) {
    divide_values(from, n_rows, map, low, high);
}

#endif
