// Packed rows of a child, with AVX-512 that counts bits. Part of kernels/children/wide.hpp.
//
// Sixteen rows of a feature are a 16-bit number, 32 features a vector; VPOPCNTW counts what it shares with
// one feature. GF2P8AFFINEQB turns eight rows of eight features around. Where bytes hold all counts, eight
// rows are a byte, and 64 features a vector.
// Eight rows of 64 features: byte f has the bits of feature f. That the rows come out in reverse order does
// not matter to counts.
inline __m512i turn_eight_rows(const std::uint64_t* rows) {
    return turn_squares(as_squares(_mm512_loadu_si512(rows)));
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
    static constexpr int kAtOnce = 1;  // tiles, or vectors of bytes
    T* chunks;                         // [chunk][lanes]
    std::uint32_t* own;                // [chunk][lanes]
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

    // Eight features from `row` on against the lanes from `begin` on: one tile.
    void count(std::size_t row, std::size_t begin, int, __m512i* out) const {
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
    void count_labels(std::size_t row, std::size_t begin, int, __m512i* ones, __m512i* others) const {
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
