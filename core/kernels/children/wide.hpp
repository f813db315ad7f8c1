// Both children of a feature, with AVX-512. Part of kernels/children/children.hpp.
//
// The rows of the child are brought together by VPCOMPRESSQ, eight at a time. How they are packed and counted
// is left to kernels/children/bit_rows.hpp, where instructions count bits, and
// kernels/children/nibble_rows.hpp. Cells are evaluated in 16 bits, in tiles of 32 features. Nodes with at
// most 127 rows of either label do with bytes, 64 features in a vector: whole tables are then faster than
// tiles.
constexpr int kTile = 32;

// The rows of a block that go to the smaller child, one after the other, per group of 64 features; then zeros
// up to a multiple of 16. Returns how many they are.
inline std::size_t gather_rows(const ChildrenProblem& problem, const Block& block, std::size_t groups,
                               std::size_t room, std::uint64_t* out) {
    std::size_t n = 0;
    for (int w = block.word_begin; w < block.word_end; ++w) {
        const std::uint64_t* from = problem.rows + 64 * static_cast<std::size_t>(w);
        for (std::uint64_t left = problem.filter[w]; left != 0; left >>= 8, from += 8) {
            const __mmask8 chosen = static_cast<__mmask8>(left);
            for (std::size_t g = 0; g < groups; ++g)
                _mm512_storeu_si512(
                    out + room * g + n,
                    _mm512_maskz_compress_epi64(chosen, _mm512_loadu_si512(from + g * problem.spacing)));
            n += static_cast<std::size_t>(count_bits(chosen));
        }
    }
    for (std::size_t g = 0; g < groups; ++g) {
        _mm512_storeu_si512(out + room * g + n, _mm512_setzero_si512());
        _mm512_storeu_si512(out + room * g + n + 8, _mm512_setzero_si512());
    }
    return n;
}

// A 32 x 32 transpose of 16-bit numbers: three rounds of interleaving, then the quarters are put together.
inline void transpose_tile(const __m512i* in, __m512i* out) {
    __m512i a[32], b[32];
    for (int i = 0; i < 16; ++i) {
        a[2 * i] = _mm512_unpacklo_epi16(in[2 * i], in[2 * i + 1]);
        a[2 * i + 1] = _mm512_unpackhi_epi16(in[2 * i], in[2 * i + 1]);
    }
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 2; ++k) {
            b[4 * i + 2 * k] = _mm512_unpacklo_epi32(a[4 * i + k], a[4 * i + 2 + k]);
            b[4 * i + 2 * k + 1] = _mm512_unpackhi_epi32(a[4 * i + k], a[4 * i + 2 + k]);
        }
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k) {
            a[8 * i + 2 * k] = _mm512_unpacklo_epi64(b[8 * i + k], b[8 * i + 4 + k]);
            a[8 * i + 2 * k + 1] = _mm512_unpackhi_epi64(b[8 * i + k], b[8 * i + 4 + k]);
        }
    for (int k = 0; k < 8; ++k) {
        const __m512i low = _mm512_shuffle_i32x4(a[k], a[8 + k], 0x44),
                      high = _mm512_shuffle_i32x4(a[k], a[8 + k], 0xee);
        const __m512i low2 = _mm512_shuffle_i32x4(a[16 + k], a[24 + k], 0x44),
                      high2 = _mm512_shuffle_i32x4(a[16 + k], a[24 + k], 0xee);
        out[k] = _mm512_shuffle_i32x4(low, low2, 0x88);
        out[8 + k] = _mm512_shuffle_i32x4(low, low2, 0xdd);
        out[16 + k] = _mm512_shuffle_i32x4(high, high2, 0x88);
        out[24 + k] = _mm512_shuffle_i32x4(high, high2, 0xdd);
    }
}

#if defined(STREED_BIT_COUNTS)
#include "kernels/children/bit_rows.hpp"
#else
#include "kernels/children/nibble_rows.hpp"
#endif

inline std::size_t lane_groups(const Frame& frame) {
    return static_cast<std::size_t>(frame.active[frame.n_active - 1]) / 64 + 1;
}

ChildBenefits solve_in_bytes(const Frame& frame, const ChildrenProblem& problem) {
    const std::size_t groups = lane_groups(frame);
    const PackedRows<std::int8_t> rows(frame, problem, groups);
    ChildPair<std::int8_t> pair(frame, problem, rows.lanes, rows.end(frame));
    constexpr std::size_t kAtOnce = PackedRows<std::int8_t>::kAtOnce;
    alignas(64) __m512i cells[kAtOnce][8];
    for (std::size_t g = 0; g < groups; g += kAtOnce) {
        const std::size_t vectors_used = smaller(kAtOnce, groups - g);
        for (int a = 0; a < frame.n_active;) {
            const int first = frame.active[a] & ~7;
            int end = a + 1;
            while (end < frame.n_active && frame.active[end] < first + 8) ++end;
            rows.count(static_cast<std::size_t>(first), 64 * g, static_cast<int>(vectors_used), cells[0]);
            for (std::size_t v = 0; v < vectors_used; ++v)
                pair.evaluate(static_cast<int>(g + v), a, end, [&](std::size_t i) {
                    return reinterpret_cast<Vec<std::int8_t>>(cells[v][i & 7]);
                });
            a = end;
        }
    }
    return pair.best(rows.lanes);
}

// Tiles of 16-bit counts on and above the diagonal, up to PackedRows::kAtOnce at a time: `count(row, begin,
// tiles, r)` counts eight features from `row` on into the rows of the tiles from `r` on, `clear(t, r)`
// empties one of them, `turn(t)` transposes tile t, and `evaluate(turned, t, second, root, of)` takes its
// features `of` as second tests of the roots in block `root`.
template <class Count, class Clear, class Turn, class Evaluate>
inline void each_tile(const Frame& frame, int blocks, Count&& count, Clear&& clear, Turn&& turn,
                      Evaluate&& evaluate) {
    for (int i = 0, begin = 0; i < blocks; ++i) {
        const ActiveRange own = active_in(frame, begin, i, kTile);
        ActiveRange other = own;
        for (int j = i; j < blocks;) {
            const int tiles = smaller(PackedRows<std::int16_t>::kAtOnce, blocks - j);
            for (int r = 0; r < own.used; r += 8)
                count(static_cast<std::size_t>(kTile * i + r), static_cast<std::size_t>(kTile * j), tiles, r);
            for (int t = 0; t < tiles; ++t, ++j) {
                evaluate(false, t, i, j, own);
                if (i == j) continue;
                other = active_in(frame, other.end, j, kTile);
                for (int r = (own.used + 7) / 8 * 8; r < kTile; ++r) clear(t, r);
                turn(t);
                evaluate(true, t, j, i, other);
            }
        }
        begin = own.end;
    }
}

// [tile][feature]: 32 lanes in 16 bits.
typedef __m512i Tiles[PackedRows<std::int16_t>::kAtOnce][kTile];

ChildBenefits solve_in_words(const Frame& frame, const ChildrenProblem& problem) {
    const std::size_t groups = lane_groups(frame);
    const int blocks = frame.active[frame.n_active - 1] / kTile + 1;
    const PackedRows<std::int16_t> rows(frame, problem, groups);
    ChildPair<std::int16_t> pair(frame, problem, rows.lanes, rows.end(frame));
    alignas(64) Tiles tile;
    alignas(64) __m512i turned[kTile];
    each_tile(
        frame, blocks,
        [&](std::size_t row, std::size_t begin, int tiles, int r) {
            rows.count(row, begin, tiles, tile[0] + r);
        },
        [&](int t, int r) { tile[t][r] = _mm512_setzero_si512(); },
        [&](int t) { transpose_tile(tile[t], turned); },
        [&](bool is_turned, int t, int second, int root, const ActiveRange& of) {
            const __m512i* cells = is_turned ? turned : tile[t];
            pair.evaluate(root, of.begin, of.end, [&](std::size_t i) {
                return reinterpret_cast<Vec<std::int16_t>>(
                    cells[i - static_cast<std::size_t>(second * kTile)]);
            });
        });
    return pair.best(static_cast<std::size_t>(kTile * blocks));
}

inline Vec<std::int32_t> widen_half(__m512i counts, int half) {
    const __m256i part = half == 0 ? _mm512_castsi512_si256(counts) : _mm512_extracti64x4_epi64(counts, 1);
    return reinterpret_cast<Vec<std::int32_t>>(_mm512_cvtepi16_epi32(part));
}

// Rows with a weight per label: a tile of counts for either label, whose difference has 32 bits.
ChildBenefits solve_scaled(const Frame& frame, const ChildrenProblem& problem) {
    const std::size_t groups = lane_groups(frame);
    const int blocks = frame.active[frame.n_active - 1] / kTile + 1;
    const PackedRows<std::int16_t> rows(frame, problem, groups);
    const std::int32_t one = static_cast<std::int32_t>(problem.model->scale[0]),
                       other = static_cast<std::int32_t>(problem.model->scale[1]);
    ChildPair<std::int32_t> pair(frame, problem, rows.lanes, rows.end(frame));
    alignas(64) Tiles tile[2];
    alignas(64) __m512i turned[2][kTile];
    each_tile(
        frame, blocks,
        [&](std::size_t row, std::size_t begin, int tiles, int r) {
            rows.count_labels(row, begin, tiles, tile[0][0] + r, tile[1][0] + r);
        },
        [&](int t, int r) { tile[0][t][r] = tile[1][t][r] = _mm512_setzero_si512(); },
        [&](int t) {
            transpose_tile(tile[0][t], turned[0]);
            transpose_tile(tile[1][t], turned[1]);
        },
        [&](bool is_turned, int t, int second, int root, const ActiveRange& of) {
            const __m512i *ones = is_turned ? turned[0] : tile[0][t],
                          *others = is_turned ? turned[1] : tile[1][t];
            for (int half = 0; half < 2; ++half)
                pair.evaluate(2 * root + half, of.begin, of.end, [&](std::size_t i) {
                    const std::size_t r = i - static_cast<std::size_t>(second * kTile);
                    return widen_half(ones[r], half) * one - widen_half(others[r], half) * other;
                });
        });
    return pair.best(static_cast<std::size_t>(kTile * blocks));
}

std::size_t children_bytes(const Frame& frame) {
    const std::size_t groups = (static_cast<std::size_t>(frame.stride) + 63) / 64;
    const std::size_t narrow = PackedRows<std::int8_t>::room_for(frame, groups) +
                               ChildPair<std::int8_t>::room_for(64 * groups);
    const std::size_t wide = PackedRows<std::int16_t>::room_for(frame, groups) +
                             ChildPair<std::int32_t>::room_for(64 * groups);
    return larger(narrow, wide) + 64;
}

ChildBenefits solve_children(const Frame& frame, const ChildrenProblem& problem) {
    if (problem.model->scale != nullptr) return solve_scaled(frame, problem);
    return frame.lane == Lane::i8 ? solve_in_bytes(frame, problem) : solve_in_words(frame, problem);
}
