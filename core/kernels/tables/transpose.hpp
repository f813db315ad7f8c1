// Bytes and tables turned around: a symmetric table from its upper half. Part of kernels/body.hpp.

typedef std::uint8_t Byte16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef std::uint64_t Pair __attribute__((vector_size(16), may_alias));

// An 8 x 8 transpose of bytes by three rounds of interleaving: byte f of out[b] is byte b of word f, two
// words of the result in each of the four vectors.
inline void transpose_bytes(const std::uint64_t* word, std::size_t step, Byte16 out[4]) {
    Byte16 v[4];  // v[k] = bytes of word k, then of word k + 4
    for (std::size_t k = 0; k < 4; ++k)
        v[k] = reinterpret_cast<Byte16>(Pair{word[k * step], word[(k + 4) * step]});
    const auto low = [](Byte16 a, Byte16 b) {
        return STREED_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    };
    const auto high = [](Byte16 a, Byte16 b) {
        return STREED_SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    };
    const Byte16 a = low(v[0], v[2]), b = low(v[1], v[3]);    // 0 2, 1 3
    const Byte16 c = high(v[0], v[2]), d = high(v[1], v[3]);  // 4 6, 5 7
    const Byte16 e0 = low(a, b), e1 = high(a, b);             // 0 1 2 3
    const Byte16 f0 = low(c, d), f1 = high(c, d);             // 4 5 6 7
    const auto join_low = [](Byte16 e, Byte16 f) {
        return STREED_SHUFFLE(e, f, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    };
    const auto join_high = [](Byte16 e, Byte16 f) {
        return STREED_SHUFFLE(e, f, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
    };
    out[0] = join_low(e0, f0);
    out[1] = join_high(e0, f0);
    out[2] = join_low(e1, f1);
    out[3] = join_high(e1, f1);
}

inline void store_halves(Byte16 vector, void* first, void* second) {
    const Pair words = reinterpret_cast<Pair>(vector);
    const std::uint64_t low = words[0], high = words[1];
    __builtin_memcpy(first, &low, 8);
    __builtin_memcpy(second, &high, 8);
}

// Tiles of 8 x 8 below the diagonal from those above it.
template <class T>
inline void mirror_tile(const T* from, T* to, std::size_t stride) {
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t j = 0; j < 8; ++j) to[i * stride + j] = from[j * stride + i];
}

inline void mirror_tile(const std::int8_t* from, std::int8_t* to, std::size_t stride) {
    std::uint64_t words[8];
    for (std::size_t j = 0; j < 8; ++j) __builtin_memcpy(&words[j], from + j * stride, 8);
    Byte16 rows[4];
    transpose_bytes(words, 1, rows);
    for (std::size_t k = 0; k < 4; ++k) {
        store_halves(rows[k], to + 2 * k * stride, to + (2 * k + 1) * stride);
    }
}

inline void mirror_tile(const std::uint16_t* from, std::uint16_t* to, std::size_t stride) {
    typedef std::int16_t Eight __attribute__((vector_size(16)));
    Eight v[8], u[8];
    for (std::size_t j = 0; j < 8; ++j) __builtin_memcpy(&v[j], from + j * stride, 16);
    // Three perfect shuffles transpose: interleave row k with row k + 4.
    for (int round = 0; round < 3; ++round) {
        for (int k = 0; k < 4; ++k) {
            const Eight first = v[k], second = v[k + 4];
            u[2 * k] = STREED_SHUFFLE(first, second, 0, 8, 1, 9, 2, 10, 3, 11);
            u[2 * k + 1] = STREED_SHUFFLE(first, second, 4, 12, 5, 13, 6, 14, 7, 15);
        }
        for (int k = 0; k < 8; ++k) v[k] = u[k];
    }
    for (std::size_t j = 0; j < 8; ++j) __builtin_memcpy(to + j * stride, &v[j], 16);
}

inline void mirror_tile(const std::int16_t* from, std::int16_t* to, std::size_t stride) {
    mirror_tile(reinterpret_cast<const std::uint16_t*>(from), reinterpret_cast<std::uint16_t*>(to), stride);
}

template <class T>
void mirror(const Frame& frame, T* table) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    for (int k = 0; k < frame.n_idle; ++k) {
        T* row = table + static_cast<std::size_t>(frame.idle[k]) * stride;
        for (std::size_t j = 0; j < stride; ++j) row[j] = T{};
    }
    for (std::size_t i = kVectorBytes; i < stride; i += 8)
        for (std::size_t j = 0; j < i / kVectorBytes * kVectorBytes; j += 8)
            mirror_tile(table + j * stride + i, table + i * stride + j, stride);
}

// Both halves of a table of fewer rows are counted, instead of mirroring one. With 16 or 128 rows, or without
// mirroring at all, the time is 0.99 to 1.01.
constexpr int kMirrorRows = 48;
