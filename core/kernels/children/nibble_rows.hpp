// Packed rows of a child, with AVX-512 that does not count bits (Skylake, Cascade Lake). Part of
// kernels/children/wide.hpp.
//
// Four rows of a feature are a byte, 64 features a vector, counted by a byte shuffle (kernels/nibbles.hpp). A
// word of bits by rows is a mask of 64 features, so that four masked additions pack four rows. Bytes hold the
// counts of up to 127 rows of either label; counts of more are added up in 16 bits. A vector of bytes has the
// lanes of two tiles, and two vectors share what is loaded for a feature.
constexpr int kByteChunks = 127 / 4;  // of each label

// Four rows of 64 features, and the same times 16.
inline void turn_four_rows(const std::uint64_t* rows, std::uint8_t* out, std::uint8_t* own) {
    __m512i bytes = _mm512_maskz_mov_epi8(rows[0], _mm512_set1_epi8(1));
    bytes = _mm512_mask_add_epi8(bytes, rows[1], bytes, _mm512_set1_epi8(2));
    bytes = _mm512_mask_add_epi8(bytes, rows[2], bytes, _mm512_set1_epi8(4));
    bytes = _mm512_mask_add_epi8(bytes, rows[3], bytes, _mm512_set1_epi8(8));
    _mm512_store_si512(out, bytes);
    _mm512_store_si512(own, _mm512_slli_epi16(bytes, 4));
}

// The rows of the smaller child, packed: the positive ones, then the negative ones. T is the type that counts
// end in.
template <class T>
struct PackedRows {
    static constexpr int kAtOnce = 2 * sizeof(T);  // tiles, or vectors of bytes: in both cases two vectors
    std::uint8_t* chunks;                          // [chunk][lanes]
    std::uint8_t* own;                             // [chunk][lanes], times 16
    std::size_t lanes;
    int n[2];  // chunks of either label

    PackedRows(const Frame& frame, const ChildrenProblem& problem, std::size_t groups) : lanes(64 * groups) {
        const std::size_t room = room_for_rows(frame);
        std::uint64_t* rows = static_cast<std::uint64_t*>(problem.buffer);
        chunks = reinterpret_cast<std::uint8_t*>(rows + room * groups);
        own = chunks + most_chunks(frame) * lanes;
        std::size_t to = 0;
        for (int b = 0; b < 2; ++b) {
            const std::size_t count = (gather_rows(problem, frame.blocks[b], groups, room, rows) + 3) / 4;
            for (std::size_t q = 0; q < count; ++q, to += lanes)
                for (std::size_t g = 0; g < groups; ++g)
                    turn_four_rows(rows + room * g + 4 * q, chunks + to + 64 * g, own + to + 64 * g);
            n[b] = static_cast<int>(count);
        }
    }
    char* end(const Frame& frame) const { return reinterpret_cast<char*>(own + most_chunks(frame) * lanes); }
    static std::size_t room_for_rows(const Frame& frame) {
        return 64 * static_cast<std::size_t>(frame.words) + 64;
    }
    static std::size_t most_chunks(const Frame& frame) {
        return static_cast<std::size_t>(frame.words) * 16 + 2;
    }
    static std::size_t room_for(const Frame& frame, std::size_t groups) {
        return groups * (room_for_rows(frame) * 8 + most_chunks(frame) * 64 * 2);
    }

    // Eight features from `row` on against the lanes from `begin` on: a vector of bytes, or `tiles` tiles. Of
    // the last vector's lanes some may lie behind those of the table: they are never read again.
    void count(std::size_t row, std::size_t begin, int tiles, __m512i* out) const {
        count_blocks(row, begin, tiles, {0, n[0]}, {n[0], n[0] + n[1]}, out);
    }

    // The same for either label.
    void count_labels(std::size_t row, std::size_t begin, int tiles, __m512i* ones, __m512i* others) const {
        count_blocks(row, begin, tiles, {0, n[0]}, {0, 0}, ones);
        count_blocks(row, begin, tiles, {n[0], n[0] + n[1]}, {0, 0}, others);
    }

private:
    struct Range {
        int begin, end;
    };

    void count_blocks(std::size_t row, std::size_t begin, int tiles, Range plus, Range minus,
                      __m512i* out) const {
        tiles > static_cast<int>(sizeof(T)) ? count_vectors<2>(row, begin, plus, minus, out)
                                            : count_vectors<1>(row, begin, plus, minus, out);
    }

    template <int Vectors>
    void count_vectors(std::size_t row, std::size_t begin, Range plus, Range minus, __m512i* out) const {
        for (bool first = true; first || plus.begin < plus.end || minus.begin < minus.end; first = false) {
            Vec<std::int8_t> sum[8][Vectors];  // zeros one by one: as a whole they would go through memory
            for (int r = 0; r < 8; ++r)
                for (int v = 0; v < Vectors; ++v) sum[r][v] = Vec<std::int8_t>{};
            const int most = sizeof(T) == 1 ? n[0] + n[1] : kByteChunks;  // all chunks fit where T is a byte
            take<Vectors>(row, begin, plus, most, [&](int r, int v, Vec<std::int8_t> x) { sum[r][v] += x; });
            take<Vectors>(row, begin, minus, most, [&](int r, int v, Vec<std::int8_t> x) { sum[r][v] -= x; });
            for (int r = 0; r < 8; ++r)
                for (int v = 0; v < Vectors; ++v)
                    put(reinterpret_cast<__m512i>(sum[r][v]), first,
                        out + (sizeof(T) == 1 ? 8 : 2 * kTile) * v + r);
        }
    }

    // Up to `most` chunks off a range.
    template <int Vectors, class Add>
    inline void take(std::size_t row, std::size_t begin, Range& range, int most, Add&& add) const {
        const int end = smaller(range.end, range.begin + most);
        const std::uint8_t* chunk = chunks + static_cast<std::size_t>(range.begin) * lanes + begin;
        const std::uint8_t* single = own + static_cast<std::size_t>(range.begin) * lanes + row;
        for (; range.begin < end; ++range.begin, chunk += lanes, single += lanes) {
            Bytes rows[Vectors];
            for (int v = 0; v < Vectors; ++v)
                rows[v] = reinterpret_cast<Bytes>(_mm512_loadu_si512(chunk + 64 * v));
#pragma GCC unroll 8
            for (int r = 0; r < 8; ++r) {
                const Bytes counts = nibble_counts(single[r]);
#pragma GCC unroll 2
                for (int v = 0; v < Vectors; ++v)
                    add(r, v, reinterpret_cast<Vec<std::int8_t>>(look_up(counts, rows[v])));
            }
        }
    }

    static void put(__m512i sums, bool first, __m512i* out) {
        if constexpr (sizeof(T) == 1) {
            *out = sums;
        } else {
            for (int half = 0; half < 2; ++half) {
                const __m256i bytes = half == 0 ? _mm512_castsi512_si256(sums)
                                                : _mm512_extracti64x4_epi64(sums, 1);
                const __m512i words = _mm512_cvtepi8_epi16(bytes);
                __m512i& cell = out[kTile * half];
                cell = first ? words : _mm512_add_epi16(cell, words);
            }
        }
    }
};
