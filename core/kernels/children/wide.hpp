// Both children of a feature, with AVX-512. Part of kernels/children/children.hpp.
//
// Sixteen rows of a feature are a 16-bit number, 32 features a vector; VPOPCNTW counts what it shares with
// one feature. The rows of the child are brought together by VPCOMPRESSQ, eight at a time, and GF2P8AFFINEQB
// turns eight rows of eight features around. Nodes with at most 127 rows of either label do with eight rows
// in a byte, 64 features in a vector: whole tables are then faster than tiles.

// Eight rows of 64 features: byte f has the bits of feature f. That the rows come out in reverse order does
// not matter to counts.
inline __m512i turn_eight_rows(const std::uint64_t* rows) {
    return turn_squares(as_squares(_mm512_loadu_si512(rows)));
}

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

// Positions for byte and word shuffles: two vectors of bytes interleaved, bytes four times and words twice.
struct WidePositions {
    alignas(64) std::uint8_t join[64] = {}, four_times[64] = {};
    alignas(64) std::uint16_t twice[32] = {};
    constexpr WidePositions() {
        for (int k = 0; k < 64; ++k) {
            join[k] = static_cast<std::uint8_t>(k / 2 + (k % 2) * 64);
            four_times[k] = static_cast<std::uint8_t>(k / 4);
            twice[k / 2] = static_cast<std::uint16_t>(k / 4);
        }
    }
};
constexpr WidePositions kPositions;

// How a lane type packs the rows: chunk[lane] for the lanes, own[lane] filled up to 32 bits for single
// features; 64 features at a time.
template <class T>
struct Packing;

template <>
struct Packing<std::int16_t> {
    static constexpr std::size_t kRows = 16;
    static void put(const std::uint64_t* rows, std::int16_t* chunk, std::uint32_t* own) {
        const __m512i first = turn_eight_rows(rows), second = turn_eight_rows(rows + 8);
        const __m512i join = _mm512_load_si512(kPositions.join), twice = _mm512_load_si512(kPositions.twice);
        for (int half = 0; half < 2; ++half) {
            const __m512i numbers = _mm512_permutex2var_epi8(
                first, _mm512_add_epi8(join, _mm512_set1_epi8(static_cast<char>(32 * half))), second);
            _mm512_store_si512(chunk + 32 * half, numbers);
            _mm512_store_si512(own + 32 * half, _mm512_permutexvar_epi16(twice, numbers));
            _mm512_store_si512(
                own + 32 * half + 16,
                _mm512_permutexvar_epi16(_mm512_add_epi16(twice, _mm512_set1_epi16(16)), numbers));
        }
    }
    static __m512i count(__m512i v) { return _mm512_popcnt_epi16(v); }
};

template <>
struct Packing<std::int8_t> {
    static constexpr std::size_t kRows = 8;
    static void put(const std::uint64_t* rows, std::int8_t* chunk, std::uint32_t* own) {
        const __m512i numbers = turn_eight_rows(rows), four_times = _mm512_load_si512(kPositions.four_times);
        _mm512_store_si512(chunk, numbers);
        for (int k = 0; k < 4; ++k)
            _mm512_store_si512(
                own + 16 * k,
                _mm512_permutexvar_epi8(
                    _mm512_add_epi8(four_times, _mm512_set1_epi8(static_cast<char>(16 * k))), numbers));
    }
    static __m512i count(__m512i v) { return _mm512_popcnt_epi8(v); }
};

// The rows of the smaller child, packed: the positive ones, then the negative ones.
template <class T>
struct PackedRows {
    T* chunks;           // [chunk][lanes]
    std::uint32_t* own;  // [chunk][lanes]
    std::size_t lanes;
    int n[2];  // chunks of either label

    PackedRows(const Frame& frame, const ChildrenProblem& problem, std::size_t groups) : lanes(64 * groups) {
        const std::size_t room = room_for_rows(frame);
        std::uint64_t* rows = static_cast<std::uint64_t*>(problem.buffer);
        own = reinterpret_cast<std::uint32_t*>(rows + room * groups);
        chunks = reinterpret_cast<T*>(own + most_chunks(frame) * lanes);
        T* to = chunks;
        std::uint32_t* to_own = own;
        for (int b = 0; b < 2; ++b) {
            const std::size_t count = (gather_rows(problem, frame.blocks[b], groups, room, rows) +
                                       Packing<T>::kRows - 1) /
                                      Packing<T>::kRows;
            for (std::size_t q = 0; q < count; ++q, to += lanes, to_own += lanes)
                for (std::size_t g = 0; g < groups; ++g)
                    Packing<T>::put(rows + room * g + Packing<T>::kRows * q, to + 64 * g, to_own + 64 * g);
            n[b] = static_cast<int>(count);
        }
    }
    char* end(const Frame& frame) const {
        return reinterpret_cast<char*>(chunks + most_chunks(frame) * lanes);
    }
    static std::size_t room_for_rows(const Frame& frame) {
        return 64 * static_cast<std::size_t>(frame.words) + 64;
    }
    static std::size_t most_chunks(const Frame& frame) {
        return static_cast<std::size_t>(frame.words) * 64 / Packing<T>::kRows + 2;
    }
    static std::size_t room_for(const Frame& frame, std::size_t groups) {
        return groups * (room_for_rows(frame) * 8 + most_chunks(frame) * 64 * (sizeof(T) + 4));
    }

    // Eight features from `row` on against the lanes from `begin` on.
    void count(std::size_t row, std::size_t begin, __m512i* out) const {
        const T* chunk = chunks + begin;
        const std::uint32_t* single = own + row;
        Vec<T> sum[8] = {};
        const auto shared = [&](int r) {
            return reinterpret_cast<Vec<T>>(Packing<T>::count(
                _mm512_and_si512(_mm512_load_si512(chunk), _mm512_set1_epi32(static_cast<int>(single[r])))));
        };
        for (int q = 0; q < n[0]; ++q, chunk += lanes, single += lanes)
#pragma GCC unroll 8
            for (int r = 0; r < 8; ++r) sum[r] += shared(r);
        for (int q = 0; q < n[1]; ++q, chunk += lanes, single += lanes)
#pragma GCC unroll 8
            for (int r = 0; r < 8; ++r) sum[r] -= shared(r);
        for (int r = 0; r < 8; ++r) out[r] = reinterpret_cast<__m512i>(sum[r]);
    }

    // The same for either label, out[label][feature].
    void count_labels(std::size_t row, std::size_t begin, __m512i* ones, __m512i* others) const {
        const T* chunk = chunks + begin;
        const std::uint32_t* single = own + row;
        for (int label = 0; label < 2; ++label) {
            Vec<T> sum[8] = {};
            for (int q = 0; q < n[label]; ++q, chunk += lanes, single += lanes)
#pragma GCC unroll 8
                for (int r = 0; r < 8; ++r)
                    sum[r] += reinterpret_cast<Vec<T>>(Packing<T>::count(_mm512_and_si512(
                        _mm512_load_si512(chunk), _mm512_set1_epi32(static_cast<int>(single[r])))));
            __m512i* out = label == 0 ? ones : others;
            for (int r = 0; r < 8; ++r) out[r] = reinterpret_cast<__m512i>(sum[r]);
        }
    }
};

constexpr int kTile = 32;

inline std::size_t lane_groups(const Frame& frame) {
    return static_cast<std::size_t>(frame.active[frame.n_active - 1]) / 64 + 1;
}

ChildBenefits solve_in_bytes(const Frame& frame, const ChildrenProblem& problem) {
    const std::size_t groups = lane_groups(frame);
    const PackedRows<std::int8_t> rows(frame, problem, groups);
    ChildPair<std::int8_t> pair(frame, problem, rows.lanes, rows.end(frame));
    alignas(64) __m512i cells[8];
    for (std::size_t g = 0; g < groups; ++g)
        for (int a = 0; a < frame.n_active;) {
            const int first = frame.active[a] & ~7;
            int end = a + 1;
            while (end < frame.n_active && frame.active[end] < first + 8) ++end;
            rows.count(static_cast<std::size_t>(first), 64 * g, cells);
            pair.evaluate(static_cast<int>(g), a, end,
                          [&](std::size_t i) { return reinterpret_cast<Vec<std::int8_t>>(cells[i & 7]); });
            a = end;
        }
    return pair.best(rows.lanes);
}

// Tiles of 16-bit counts on and above the diagonal: `count(row, begin, r)` counts eight features from `row`
// on into the rows of the tile from `r` on, `clear(r)` empties one of them, `turn()` transposes the tile, and
// `evaluate(turned, second, root, of)` takes its features `of` as second tests of the roots in block `root`.
template <class Count, class Clear, class Turn, class Evaluate>
inline void each_tile(const Frame& frame, int blocks, Count&& count, Clear&& clear, Turn&& turn,
                      Evaluate&& evaluate) {
    for (int i = 0, begin = 0; i < blocks; ++i) {
        const ActiveRange own = active_in(frame, begin, i, kTile);
        ActiveRange other = own;
        for (int j = i; j < blocks; ++j) {
            if (j > i) other = active_in(frame, other.end, j, kTile);
            for (int r = 0; r < own.used; r += 8)
                count(static_cast<std::size_t>(kTile * i + r), static_cast<std::size_t>(kTile * j), r);
            evaluate(false, i, j, own);
            if (i == j) continue;
            for (int r = (own.used + 7) / 8 * 8; r < kTile; ++r) clear(r);
            turn();
            evaluate(true, j, i, other);
        }
        begin = own.end;
    }
}

ChildBenefits solve_in_words(const Frame& frame, const ChildrenProblem& problem) {
    const std::size_t groups = lane_groups(frame);
    const int blocks = frame.active[frame.n_active - 1] / kTile + 1;
    const PackedRows<std::int16_t> rows(frame, problem, groups);
    ChildPair<std::int16_t> pair(frame, problem, rows.lanes, rows.end(frame));
    alignas(64) __m512i tile[kTile], turned[kTile];
    each_tile(
        frame, blocks, [&](std::size_t row, std::size_t begin, int r) { rows.count(row, begin, tile + r); },
        [&](int r) { tile[r] = _mm512_setzero_si512(); }, [&] { transpose_tile(tile, turned); },
        [&](bool is_turned, int second, int root, const ActiveRange& of) {
            const __m512i* cells = is_turned ? turned : tile;
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
    alignas(64) __m512i tile[2][kTile], turned[2][kTile];
    each_tile(
        frame, blocks,
        [&](std::size_t row, std::size_t begin, int r) {
            rows.count_labels(row, begin, tile[0] + r, tile[1] + r);
        },
        [&](int r) { tile[0][r] = tile[1][r] = _mm512_setzero_si512(); },
        [&] {
            transpose_tile(tile[0], turned[0]);
            transpose_tile(tile[1], turned[1]);
        },
        [&](bool is_turned, int second, int root, const ActiveRange& of) {
            const auto& cells = is_turned ? turned : tile;
            for (int half = 0; half < 2; ++half)
                pair.evaluate(2 * root + half, of.begin, of.end, [&](std::size_t i) {
                    const std::size_t r = i - static_cast<std::size_t>(second * kTile);
                    return widen_half(cells[0][r], half) * one - widen_half(cells[1][r], half) * other;
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
