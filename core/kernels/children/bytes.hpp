// Both children of a feature, with vectors of 32 bytes or less. Part of kernels/children/children.hpp.
//
// A byte holds a few rows of a feature, and tiles are counted in bytes. With AVX2 these are four rows,
// counted by a byte shuffle (kernels/nibbles.hpp). Elsewhere they are eight rows, counted by shifts and
// masks.
//
// Bytes hold the counts of up to 127 rows of either label. Where a node has more, the cells are evaluated in
// 16 bits, and tiles of larger children are flushed into 16-bit numbers now and then.
constexpr int kTileLanes = kVectorBytes;
constexpr int kChunkRows = kRowsPerByte;
constexpr int kFlushChunks = 127 / kChunkRows;  // of each label
typedef std::int8_t Signed __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias));

#if defined(STREED_NIBBLES)
// One feature's rows: where its table of counts begins.
struct OwnRows {
    std::uint8_t at;
};
inline Bytes prepare(OwnRows own) { return nibble_counts(own.at); }
inline Signed count_signed(Bytes own, Bytes rows) { return reinterpret_cast<Signed>(look_up(own, rows)); }

// Four rows of features, each as a byte, sixteen features to a part. What is stored in parts and read again
// as a whole would wait for its stores, so that both forms are made here.
inline void turn_rows(const std::uint64_t rows[kChunkRows], int parts, std::uint8_t* out, OwnRows* own) {
    for (int k = 0; k < parts; ++k) {
        const std::uint64_t nibbles = _pdep_u64(rows[0] >> 16 * k, 0x1111111111111111ull) |
                                      _pdep_u64(rows[1] >> 16 * k, 0x2222222222222222ull) |
                                      _pdep_u64(rows[2] >> 16 * k, 0x4444444444444444ull) |
                                      _pdep_u64(rows[3] >> 16 * k, 0x8888888888888888ull);
        const __m128i both = _mm_cvtsi64_si128(static_cast<long long>(nibbles)), low = _mm_set1_epi8(0x0f);
        const __m128i bytes = _mm_unpacklo_epi8(_mm_and_si128(both, low),
                                                _mm_and_si128(_mm_srli_epi64(both, 4), low));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16 * k), bytes);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(own + 16 * k), _mm_slli_epi64(bytes, 4));
    }
}

inline Bytes interleave_low(Bytes a, Bytes b) {
    return reinterpret_cast<Bytes>(
        _mm256_unpacklo_epi8(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
inline Bytes interleave_high(Bytes a, Bytes b) {
    return reinterpret_cast<Bytes>(
        _mm256_unpackhi_epi8(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
#else
struct OwnRows {
    std::uint32_t filled;
};
inline Bytes prepare(OwnRows own) { return reinterpret_cast<Bytes>(Vec<std::uint32_t>{} + own.filled); }
inline Signed count_signed(Bytes own, Bytes rows) {
    return reinterpret_cast<Signed>(count_bytes(own & rows));
}

// Eight rows of features, each as a byte, sixteen features to a part: bytes are transposed first, then the
// bits of each word.
inline void turn_rows(const std::uint64_t rows[kChunkRows], int parts, std::uint8_t* out, OwnRows* own) {
    Byte16 turned[4];
    transpose_bytes(rows, 1, turned);
    for (int k = 0; k < 2 * parts; ++k) {
        std::uint64_t word = reinterpret_cast<Pair>(turned[k / 2])[k % 2];
        const auto swap = [&word](std::uint64_t mask, int by) {
            const std::uint64_t swapped = (word ^ (word >> by)) & mask;
            word ^= swapped ^ (swapped << by);
        };
        swap(0x00aa00aa00aa00aaull, 7);
        swap(0x0000cccc0000ccccull, 14);
        swap(0x00000000f0f0f0f0ull, 28);
        __builtin_memcpy(out + 8 * k, &word, 8);
        for (int f = 0; f < 8; ++f) own[8 * k + f] = {fill_word(static_cast<std::uint8_t>(word >> 8 * f))};
    }
}

inline Bytes interleave_low(Bytes a, Bytes b) {
    return STREED_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline Bytes interleave_high(Bytes a, Bytes b) {
    return STREED_SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
#endif

// The rows of the smaller child in chunks: the positive ones, then the negative ones.
struct ChunkedRows {
    std::uint8_t* panel;  // [chunk][lanes]
    OwnRows* own;         // [chunk][lanes]
    std::size_t lanes;
    int n[2];      // chunks of either label,
    int start[2];  // from these on

    ChunkedRows(const Frame& frame, const ChildrenProblem& problem) : lanes(lanes_of(frame)) {
        panel = static_cast<std::uint8_t*>(problem.buffer);
        own = reinterpret_cast<OwnRows*>(panel + most_chunks(frame) * lanes);
        std::uint32_t* slots = reinterpret_cast<std::uint32_t*>(own + most_chunks(frame) * lanes);
        std::uint8_t* to = panel;
        OwnRows* to_own = own;
        const int parts = (frame.active[frame.n_active - 1] / kTileLanes + 1) * kTileLanes /
                          16;  // of all groups
        for (int b = 0; b < 2; ++b) {
            const Block block = frame.blocks[b];
            int rows = 0;
            for (int w = block.word_begin; w < block.word_end; ++w)
                rows += decode(problem.filter[w], static_cast<std::uint32_t>(64 * w), slots + rows);
            n[b] = (rows + kChunkRows - 1) / kChunkRows;
            start[b] = b == 0 ? 0 : n[0];
            for (int c = 0; c < n[b]; ++c, to += lanes, to_own += lanes)
                for (std::size_t g = 0; 4 * g < static_cast<std::size_t>(parts); ++g) {
                    std::uint64_t words[kChunkRows] = {};
                    const int count = smaller(rows - kChunkRows * c, kChunkRows);
                    for (int k = 0; k < count; ++k)
                        words[k] = problem.rows[g * problem.spacing + slots[kChunkRows * c + k]];
                    turn_rows(words, smaller(4, parts - 4 * static_cast<int>(g)), to + 64 * g,
                              to_own + 64 * g);
                }
        }
    }
    ChunkedRows only(int label) const {
        ChunkedRows rows = *this;
        rows.n[1 - label] = 0;
        return rows;
    }
    static std::size_t lanes_of(const Frame& frame) {
        return (static_cast<std::size_t>(frame.stride) + 63) / 64 * 64;
    }
    static std::size_t most_chunks(const Frame& frame) {
        return static_cast<std::size_t>(frame.words) * 64 / kChunkRows + 2;
    }
    static std::size_t room_for(const Frame& frame) {
        return most_chunks(frame) * lanes_of(frame) * (1 + sizeof(OwnRows)) +
               4 * (64 * static_cast<std::size_t>(frame.words) + 16) + 64;
    }
    char* end(const Frame& frame) const {
        return static_cast<char*>(static_cast<void*>(panel)) + room_for(frame) / 64 * 64;
    }

    // Four features from `row` on against one or two tiles of lanes from `begin` on, kTileLanes vectors
    // apart; `count` chunks of either label from `first` on.
    template <int Tiles>
    void count(std::size_t row, std::size_t begin, const int first[2], const int chunks[2],
               Signed* out) const {
        Signed sum[4][Tiles] = {};
        const auto part = [&](int from, int count_of, auto add) __attribute__((always_inline)) {
            const std::uint8_t* at = panel + static_cast<std::size_t>(from) * lanes + begin;
            const OwnRows* single = own + static_cast<std::size_t>(from) * lanes + row;
            for (int q = 0; q < count_of; ++q, at += lanes, single += lanes) {
                Bytes rows[Tiles];
                for (int v = 0; v < Tiles; ++v) rows[v] = reinterpret_cast<const Bytes*>(at)[v];
#pragma GCC unroll 4
                for (int r = 0; r < 4; ++r) {
                    const Bytes prepared = prepare(single[r]);
#pragma GCC unroll 2
                    for (int v = 0; v < Tiles; ++v) add(sum[r][v], count_signed(prepared, rows[v]));
                }
            }
        };
        part(first[0], chunks[0], [](Signed& s, Signed x) { s += x; });
        part(first[1], chunks[1], [](Signed& s, Signed x) { s -= x; });
        for (int r = 0; r < 4; ++r)
            for (int v = 0; v < Tiles; ++v) out[kTileLanes * v + r] = sum[r][v];
    }
};

// A square tile of bytes, transposed: four perfect shuffles turn 16 x 16 of them around, in each half of a
// longer vector.
inline void transpose_tile(const Signed* in, Signed* out) {
    Bytes a[16], b[16], turned[kTileLanes / 16][16];
    for (int part = 0; part < kTileLanes / 16; ++part) {
        for (int k = 0; k < 16; ++k) a[k] = reinterpret_cast<Bytes>(in[16 * part + k]);
        for (int round = 0; round < 4; ++round) {
            for (int k = 0; k < 8; ++k) {
                b[2 * k] = interleave_low(a[k], a[k + 8]);
                b[2 * k + 1] = interleave_high(a[k], a[k + 8]);
            }
            for (int k = 0; k < 16; ++k) a[k] = b[k];
        }
        for (int k = 0; k < 16; ++k) turned[part][k] = a[k];
    }
    for (int k = 0; k < 16; ++k) {
#if STREED_VECTOR_BYTES == 32
        const __m256i first = reinterpret_cast<__m256i>(turned[0][k]),
                      second = reinterpret_cast<__m256i>(turned[1][k]);
        out[k] = reinterpret_cast<Signed>(_mm256_permute2x128_si256(first, second, 0x20));
        out[16 + k] = reinterpret_cast<Signed>(_mm256_permute2x128_si256(first, second, 0x31));
#else
        out[k] = reinterpret_cast<Signed>(turned[0][k]);
#endif
    }
}

typedef std::int8_t HalfBytes
    __attribute__((vector_size(kVectorBytes / 2), aligned(kVectorBytes / 2), may_alias));

typedef std::int16_t HalfWords
    __attribute__((vector_size(kVectorBytes / 2), aligned(kVectorBytes / 2), may_alias));

// Cells of up to two tiles, [tile][feature]: in bytes, or flushed into 16 bits.
struct TileCells {
    alignas(64) Signed bytes[2 * kTileLanes], turned_bytes[kTileLanes];
    alignas(64) std::int16_t words[2 * kTileLanes][kTileLanes], turned_words[kTileLanes][kTileLanes];
    bool flushed;

    static Vec<std::int16_t> widen(const Signed& of, int half) {
        return __builtin_convertvector(reinterpret_cast<const HalfBytes*>(&of)[half], Vec<std::int16_t>);
    }
    static Vec<std::int32_t> widen(const std::int16_t* of, int part) {
        return __builtin_convertvector(reinterpret_cast<const HalfWords*>(of)[part], Vec<std::int32_t>);
    }
    void flush(int from, int to, bool first) {
        for (int r = from; r < to; ++r)
            for (int half = 0; half < 2; ++half) {
                Vec<std::int16_t>& sum = vectors(words[r])[half];
                sum = first ? widen(bytes[r], half) : sum + widen(bytes[r], half);
            }
    }
    // Features that were not counted have no rows.
    void clear(int from, int to) {
        for (int r = from; r < to; ++r) bytes[r] = Signed{};
        if (flushed) __builtin_memset(words[from], 0, static_cast<std::size_t>(to - from) * sizeof(words[0]));
    }
    void turn(int tile, int counted) {
        clear(kTileLanes * tile + counted, kTileLanes * (tile + 1));
        if (!flushed) return transpose_tile(bytes + kTileLanes * tile, turned_bytes);
        for (std::size_t i = 0; i < kTileLanes; i += 8)
            for (std::size_t j = 0; j < kTileLanes; j += 8)
                mirror_tile(&words[static_cast<std::size_t>(kTileLanes * tile) + i][j], &turned_words[j][i],
                            kTileLanes);
    }
};

// Counts the features of one block against one or two others, as many chunks at a time as bytes can hold.
inline void count_tiles(const ChunkedRows& rows, int block, int used, int other, int tiles, TileCells& out) {
    for (int done[2] = {0, 0}, pass = 0; pass == 0 || done[0] < rows.n[0] || done[1] < rows.n[1]; ++pass) {
        const int most = out.flushed ? kFlushChunks : rows.n[0] + rows.n[1];
        const int n[2] = {smaller(most, rows.n[0] - done[0]), smaller(most, rows.n[1] - done[1])};
        const int first[2] = {rows.start[0] + done[0], rows.start[1] + done[1]};
        for (int r = 0; r < used; r += 4) {
            const std::size_t row = static_cast<std::size_t>(kTileLanes * block + r),
                              begin = static_cast<std::size_t>(kTileLanes * other);
            tiles == 2 ? rows.count<2>(row, begin, first, n, out.bytes + r)
                       : rows.count<1>(row, begin, first, n, out.bytes + r);
        }
        done[0] += n[0];
        done[1] += n[1];
        if (!out.flushed) return;
        for (int v = 0; v < tiles; ++v)
            out.flush(kTileLanes * v, kTileLanes * v + (used + 3) / 4 * 4, pass == 0);
    }
}

// Tiles on and above the diagonal, up to two at a time: `count(i, used, j, tiles)` counts them, `turn(v,
// counted)` transposes one of them, and `evaluate(turned, offset, root, of)` takes the features `of` as
// second tests of the roots in block `root`; the cells of feature i are in row i - `offset`.
template <class Count, class Turn, class Evaluate>
inline void each_tile(const Frame& frame, int blocks, Count&& count, Turn&& turn, Evaluate&& evaluate) {
    for (int i = 0, begin = 0; i < blocks; ++i) {
        const ActiveRange own = active_in(frame, begin, i, kTileLanes);
        ActiveRange other = own;
        for (int j = i; j < blocks;) {
            const int tiles = j + 1 < blocks ? 2 : 1;
            count(i, own.used, j, tiles);
            for (int v = 0; v < tiles; ++v, ++j) {
                evaluate(false, kTileLanes * (i - v), j, own);
                if (i == j) continue;
                other = active_in(frame, other.end, j, kTileLanes);
                turn(v, (own.used + 3) / 4 * 4);
                evaluate(true, kTileLanes * j, i, other);
            }
        }
        begin = own.end;
    }
}

template <class T>
ChildBenefits solve_tiles(const Frame& frame, const ChildrenProblem& problem) {
    constexpr int kParts = kTileLanes / kLanes<T>;  // vectors of a tile's lanes
    const ChunkedRows rows(frame, problem);
    const int blocks = frame.active[frame.n_active - 1] / kTileLanes + 1;
    const std::size_t lanes = static_cast<std::size_t>(blocks) * kTileLanes;
    ChildPair<T> pair(frame, problem, lanes, rows.end(frame));
    TileCells tile;
    tile.flushed = sizeof(T) > 1 && (rows.n[0] > kFlushChunks || rows.n[1] > kFlushChunks);
    each_tile(
        frame, blocks, [&](int i, int used, int j, int tiles) { count_tiles(rows, i, used, j, tiles, tile); },
        [&](int v, int counted) { tile.turn(v, counted); },
        [&](bool turned, int offset, int root, const ActiveRange& of) {
            const Signed* bytes = turned ? tile.turned_bytes : tile.bytes;
            const auto* words = turned ? tile.turned_words : tile.words;
            const auto row = [offset](std::size_t i) { return static_cast<std::ptrdiff_t>(i) - offset; };
            for (int part = 0; part < kParts; ++part) {
                const int vector = kParts * root + part;
                if constexpr (sizeof(T) == 1)
                    pair.evaluate(vector, of.begin, of.end,
                                  [&](std::size_t i) { return reinterpret_cast<Vec<T>>(bytes[row(i)]); });
                else if (tile.flushed)
                    pair.evaluate(vector, of.begin, of.end,
                                  [&](std::size_t i) { return vectors(words[row(i)])[part]; });
                else
                    pair.evaluate(vector, of.begin, of.end,
                                  [&](std::size_t i) { return TileCells::widen(bytes[row(i)], part); });
            }
        });
    return pair.best(lanes);
}

// Rows with a weight per label: tiles of 16-bit counts for either label (those of the second are negative),
// whose weighted sum has 32 bits.
ChildBenefits solve_scaled(const Frame& frame, const ChildrenProblem& problem) {
    constexpr int kParts = kTileLanes / kLanes<std::int32_t>;
    const ChunkedRows rows(frame, problem), of_label[2] = {rows.only(0), rows.only(1)};
    const int blocks = frame.active[frame.n_active - 1] / kTileLanes + 1;
    const std::size_t lanes = static_cast<std::size_t>(blocks) * kTileLanes;
    const std::int32_t one = static_cast<std::int32_t>(problem.model->scale[0]),
                       other = static_cast<std::int32_t>(problem.model->scale[1]);
    ChildPair<std::int32_t> pair(frame, problem, lanes, rows.end(frame));
    TileCells tile[2];
    tile[0].flushed = tile[1].flushed = true;
    each_tile(
        frame, blocks,
        [&](int i, int used, int j, int tiles) {
            for (int label = 0; label < 2; ++label)
                count_tiles(of_label[label], i, used, j, tiles, tile[label]);
        },
        [&](int v, int counted) {
            for (TileCells& cells : tile) cells.turn(v, counted);
        },
        [&](bool turned, int offset, int root, const ActiveRange& of) {
            const auto* ones = turned ? tile[0].turned_words : tile[0].words;
            const auto* others = turned ? tile[1].turned_words : tile[1].words;
            for (int part = 0; part < kParts; ++part)
                pair.evaluate(kParts * root + part, of.begin, of.end, [&](std::size_t i) {
                    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(i) - offset;
                    return TileCells::widen(ones[row], part) * one +
                           TileCells::widen(others[row], part) * other;
                });
        });
    return pair.best(lanes);
}

std::size_t children_bytes(const Frame& frame) {
    return ChunkedRows::room_for(frame) + ChildPair<std::int32_t>::room_for(ChunkedRows::lanes_of(frame)) +
           64;
}

ChildBenefits solve_children(const Frame& frame, const ChildrenProblem& problem) {
    if (problem.model->scale != nullptr) return solve_scaled(frame, problem);
    return frame.lane == Lane::i8 ? solve_tiles<std::int8_t>(frame, problem)
                                  : solve_tiles<std::int16_t>(frame, problem);
}
