// Bits by rows: a node's bit columns, turned so that a word holds 64 features of one row. Part of
// kernels/body.hpp.
//
//     out[g * spacing + s] = features 64 g .. 64 g + 63 of slot s, the lowest bit first
//
// The rows of a child are then picked whole, instead of bit by bit from every column
// (kernels/children/children.hpp). Lanes that are not active have no rows.

#if defined(STREED_BIT_COUNTS)
// Eight words as eight squares of 8 x 8 bits: byte b of all of them side by side, in word b.
inline __m512i as_squares(__m512i words) {
    return _mm512_permutexvar_epi8(
        _mm512_set_epi64(0x3f372f271f170f07, 0x3e362e261e160e06, 0x3d352d251d150d05, 0x3c342c241c140c04,
                         0x3b332b231b130b03, 0x3a322a221a120a02, 0x3931292119110901, 0x3830282018100800),
        words);
}
// Squares of 8 x 8 bits turned, with their rows in reverse order: an affine transformation of the unit matrix
// by them.
inline __m512i turn_squares(__m512i squares) {
    return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64(static_cast<long long>(0x8040201008040201ull)),
                                         squares, 0);
}

// Transposes 64 x 64 bits. Squares of 8 x 8 are turned, of eight words from the last one on. Vector k then
// has a byte of features 8 k .. 8 k + 7 for every row; a transpose of 8 x 8 words and one of bytes within
// vectors bring the bytes of a row together.
inline void transpose_bits(std::uint64_t square[64]) {
    const __m512i backwards = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    __m512i a[8], b[8];
    for (int k = 0; k < 8; ++k)
        a[k] = turn_squares(
            as_squares(_mm512_permutexvar_epi64(backwards, _mm512_loadu_si512(square + 8 * k))));
    for (int k = 0; k < 8; k += 2) {
        b[k] = _mm512_unpacklo_epi64(a[k], a[k + 1]);
        b[k + 1] = _mm512_unpackhi_epi64(a[k], a[k + 1]);
    }
    for (int k = 0; k < 8; k += 4)
        for (int j = 0; j < 2; ++j) {
            a[k + j] = _mm512_shuffle_i64x2(b[k + j], b[k + j + 2], 0x44);
            a[k + j + 2] = _mm512_shuffle_i64x2(b[k + j], b[k + j + 2], 0xee);
        }
    for (int j = 0; j < 4; ++j) {
        // Pairs of words of the vectors 0, 2, 4, 6: words j % 2 + 4 (j / 2), and two more.
        const __m512i first = _mm512_shuffle_i64x2(a[j], a[j + 4], 0x88),
                      second = _mm512_shuffle_i64x2(a[j], a[j + 4], 0xdd);
        const int row = j % 2 + 4 * (j / 2);
        _mm512_storeu_si512(square + 8 * row, as_squares(first));
        _mm512_storeu_si512(square + 8 * (row + 2), as_squares(second));
    }
}
#elif STREED_VECTOR_BYTES == 64
// A transpose of 64 x 64 bits: bytes are brought together first, so that vector c has byte c of all words;
// the top bits of its bytes are then a word of the result, eight times.
inline void transpose_bits(std::uint64_t square[64]) {
    const auto repeat = [](__m128i positions) { return _mm512_broadcast_i32x4(positions); };
    const __m512i pairs = repeat(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)),
                  split = repeat(_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15)),
                  order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i a[8], b[8];
    // a[k]: bytes 2 c, then bytes 2 c + 1 of the words 8 k .. 8 k + 7, for c = 0 .. 3.
    for (int k = 0; k < 8; ++k)
        a[k] = _mm512_shuffle_epi8(
            _mm512_permutexvar_epi32(order, _mm512_shuffle_epi8(_mm512_loadu_si512(square + 8 * k), pairs)),
            split);
    for (int k = 0; k < 8; k += 2) {
        b[k] = _mm512_unpacklo_epi64(a[k], a[k + 1]);
        b[k + 1] = _mm512_unpackhi_epi64(a[k], a[k + 1]);
    }
    for (int odd = 0; odd < 2; ++odd)
        for (int half = 0; half < 2; ++half) {
            const __m512i* from = b + odd;
            const __m512i first = half == 0 ? _mm512_shuffle_i64x2(from[0], from[2], 0x44)
                                            : _mm512_shuffle_i64x2(from[0], from[2], 0xee),
                          second = half == 0 ? _mm512_shuffle_i64x2(from[4], from[6], 0x44)
                                             : _mm512_shuffle_i64x2(from[4], from[6], 0xee);
            a[4 * half + odd] = _mm512_shuffle_i64x2(first, second, 0x88);
            a[4 * half + 2 + odd] = _mm512_shuffle_i64x2(first, second, 0xdd);
        }
    for (int c = 0; c < 8; ++c)
        for (int bit = 7; bit >= 0; --bit) {
            square[8 * c + bit] = _mm512_movepi8_mask(a[c]);
            a[c] = _mm512_add_epi8(a[c], a[c]);
        }
}
#else
// Transposes 64 x 64 bits: swaps the off-diagonal halves of squares of 64, 32, ... 2 bits.
template <int Half>
inline void swap_halves(std::uint64_t square[64], std::uint64_t mask) {
    for (int begin = 0; begin < 64; begin += 2 * Half)
        for (int k = begin; k < begin + Half; ++k) {
            const std::uint64_t swapped = ((square[k] >> Half) ^ square[k + Half]) & mask;
            square[k] ^= swapped << Half;
            square[k + Half] ^= swapped;
        }
}

inline void transpose_bits(std::uint64_t square[64]) {
    swap_halves<32>(square, 0x00000000ffffffffull);
    swap_halves<16>(square, 0x0000ffff0000ffffull);
    swap_halves<8>(square, 0x00ff00ff00ff00ffull);
    swap_halves<4>(square, 0x0f0f0f0f0f0f0f0full);
    swap_halves<2>(square, 0x3333333333333333ull);
    swap_halves<1>(square, 0x5555555555555555ull);
}
#endif

void turn_columns(const Frame& frame, const std::uint64_t* valid, std::uint64_t* out) {
    const std::size_t words = static_cast<std::size_t>(frame.words), spacing = 64 * words;
    for (int a = 0, group = 0; a < frame.n_active; ++group) {
        int end = a;
        while (end < frame.n_active && frame.active[end] < 64 * (group + 1)) ++end;
        for (std::size_t w = 0; w < words; ++w) {
            std::uint64_t* square = out + static_cast<std::size_t>(group) * spacing + 64 * w;
            for (int k = 0; k < 64; ++k) square[k] = 0;
            for (int b = a; b < end; ++b) {
                const std::size_t lane = static_cast<std::size_t>(frame.active[b]);
                square[lane % 64] = frame.columns[lane * words + w] & valid[w];
            }
            transpose_bits(square);
        }
        a = end;
    }
}

// Rows of every block that have a feature, for many features: out[position in the list][block].
void count_columns(const Frame& frame, const std::int32_t* lanes, int n, const std::uint64_t* filter,
                   std::int32_t* out) {
    for (int k = 0; k < n; ++k) {
        const std::uint64_t* column = frame.columns + static_cast<std::size_t>(lanes[k]) *
                                                          static_cast<std::size_t>(frame.words);
        for (int b = 0; b < frame.n_blocks; ++b) {
            int count = 0;
            for (int w = frame.blocks[b].word_begin; w < frame.blocks[b].word_end; ++w)
                count += count_bits(column[w] & filter[w]);
            *out++ = count;
        }
    }
}
