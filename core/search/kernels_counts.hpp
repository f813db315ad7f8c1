// Pair tables of rows that count one each, by counting bits.
//
// The bits of the filtered rows are packed (pext), then laid out in panels: byte (c, j) of a panel holds a few rows of
// feature j, so that one vector covers the same rows of many features. ANDed with the broadcast byte of feature i and
// counted, it adds to row i of the table in 8-bit lanes.
//
//     panel:   rows 0-3 of features 0..31 | rows 4-7 of features 0..31 | ...
//
// With AVX2 a byte holds four rows, because a byte shuffle then counts them without shifts and masks.
#if STREED_VECTOR_BYTES == 32
constexpr int kRowsPerByte = 4;
#else
constexpr int kRowsPerByte = 8;
#endif
constexpr int kPanelBytes = kPanelWords * 64 / kRowsPerByte;  // per feature
static_assert(kPanelWords * 64 <= 255, "counts of a panel must fit into a byte");

typedef std::uint8_t Bytes __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias));

// Number of set bits in every byte (of the low half of the bytes, where a byte holds four rows).
inline Bytes count_bytes(Bytes v) {
#if STREED_VECTOR_BYTES == 64
    return reinterpret_cast<Bytes>(_mm512_popcnt_epi8(reinterpret_cast<__m512i>(v)));
#elif STREED_VECTOR_BYTES == 32
    const __m256i ones = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    return reinterpret_cast<Bytes>(_mm256_shuffle_epi8(ones, reinterpret_cast<__m256i>(v)));
#else
    v = v - ((v >> 1) & 0x55);
    v = (v & 0x33) + ((v >> 2) & 0x33);
    return (v + (v >> 4)) & 0x0f;
#endif
}

typedef std::uint8_t Byte16 __attribute__((vector_size(16), aligned(8), may_alias));

// One word of rows for eight features: an 8 x 8 transpose of bytes by three rounds of interleaving.
inline void transpose_words(const std::uint64_t* word, std::size_t step, std::uint8_t* out, std::size_t stride) {
    Byte16 v[4];
    for (int k = 0; k < 4; ++k) {
        typedef std::uint64_t Pair __attribute__((vector_size(16)));
        v[k] = reinterpret_cast<Byte16>(Pair{word[static_cast<std::size_t>(k) * step], word[static_cast<std::size_t>(k + 4) * step]});
    }
    // v[k] = bytes of feature k, then of feature k + 4.
    constexpr Byte16 low = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23};
    constexpr Byte16 high = {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    const Byte16 a = __builtin_shuffle(v[0], v[2], low), b = __builtin_shuffle(v[1], v[3], low);    // 0 2, 1 3
    const Byte16 c = __builtin_shuffle(v[0], v[2], high), d = __builtin_shuffle(v[1], v[3], high);  // 4 6, 5 7
    const Byte16 e0 = __builtin_shuffle(a, b, low), e1 = __builtin_shuffle(a, b, high);              // 0 1 2 3
    const Byte16 f0 = __builtin_shuffle(c, d, low), f1 = __builtin_shuffle(c, d, high);              // 4 5 6 7
    constexpr Byte16 join_low = {0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23};
    constexpr Byte16 join_high = {8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31};
    const Byte16 rows[4] = {__builtin_shuffle(e0, f0, join_low), __builtin_shuffle(e0, f0, join_high),
                            __builtin_shuffle(e1, f1, join_low), __builtin_shuffle(e1, f1, join_high)};
    typedef std::uint64_t Pair __attribute__((vector_size(16), may_alias));
    for (std::size_t k = 0; k < 4; ++k) {
        if (kRowsPerByte == 8) {
            const Pair bytes = reinterpret_cast<Pair>(rows[k]);
            __builtin_memcpy(out + 2 * k * stride, &bytes[0], 8);
            __builtin_memcpy(out + (2 * k + 1) * stride, &bytes[1], 8);
        } else {
            const Pair lower = reinterpret_cast<Pair>(rows[k] & 0x0f);
            const Pair upper = reinterpret_cast<Pair>((rows[k] >> 4) & 0x0f);
            const std::uint64_t parts[4] = {lower[0], upper[0], lower[1], upper[1]};
            for (std::size_t q = 0; q < 4; ++q) __builtin_memcpy(out + (4 * k + q) * stride, &parts[q], 8);
        }
    }
}

// Counts rows [0, bytes) of the panel for `Count` features i and two (or one) vectors of features j.
template <int Count, int Vectors>
inline void count_tile(const std::uint8_t* panel, std::size_t stride, int bytes, const std::int32_t* features, std::size_t begin,
                       std::uint8_t* out) {
    Bytes sum[Count][Vectors];
    for (int k = 0; k < Count; ++k)
        for (int v = 0; v < Vectors; ++v) sum[k][v] = Bytes{};
    const std::uint8_t* at = panel;
    for (int c = 0; c < bytes; ++c, at += stride) {
        Bytes x[Vectors];
        for (int v = 0; v < Vectors; ++v) x[v] = reinterpret_cast<const Bytes*>(at + begin)[v];
        for (int k = 0; k < Count; ++k) {
            const Bytes own = Bytes{} + at[features[k]];
            for (int v = 0; v < Vectors; ++v) sum[k][v] += count_bytes(x[v] & own);
        }
    }
    for (int k = 0; k < Count; ++k)
        for (int v = 0; v < Vectors; ++v) reinterpret_cast<Bytes*>(out + static_cast<std::size_t>(k) * stride + begin)[v] = sum[k][v];
}

// Two features i at a time, up to four vectors of features j.
template <int Count>
inline void count_rows(const std::uint8_t* panel, std::size_t stride, int bytes, const std::int32_t* features, std::size_t begin,
                       std::uint8_t* out) {
    while (begin < stride) {
        switch ((stride - begin) / kVectorBytes) {
            case 1: count_tile<Count, 1>(panel, stride, bytes, features, begin, out); begin += kVectorBytes; break;
            case 2: count_tile<Count, 2>(panel, stride, bytes, features, begin, out); begin += 2 * kVectorBytes; break;
            case 3: count_tile<Count, 3>(panel, stride, bytes, features, begin, out); begin += 3 * kVectorBytes; break;
            default: count_tile<Count, 4>(panel, stride, bytes, features, begin, out); begin += 4 * kVectorBytes; break;
        }
    }
}

// row = first ? sign * counts : row + sign * counts
template <class T>
inline void add_counts(T* row, const std::uint8_t* counts, int stride, bool first, bool negative) {
    if (first && !negative)
        for (int j = 0; j < stride; ++j) row[j] = static_cast<T>(counts[j]);
    else if (first)
        for (int j = 0; j < stride; ++j) row[j] = static_cast<T>(-static_cast<T>(counts[j]));
    else if (!negative)
        for (int j = 0; j < stride; ++j) row[j] = static_cast<T>(row[j] + static_cast<T>(counts[j]));
    else
        for (int j = 0; j < stride; ++j) row[j] = static_cast<T>(row[j] - static_cast<T>(counts[j]));
}

inline void add_weights(double* row, const std::uint8_t* counts, int stride, bool first) {
    if (first)
        for (int j = 0; j < stride; ++j) row[j] = static_cast<double>(counts[j]);
    else
        for (int j = 0; j < stride; ++j) row[j] += static_cast<double>(counts[j]);
}

template <class T>
void count_table(const Frame& frame, const std::uint64_t* filter, T* table, double* weights, const Scratch& scratch) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    const std::size_t words = static_cast<std::size_t>(frame.words);
    const std::size_t table_size = stride * stride;
    std::uint8_t* panel = scratch.panel;
    std::uint8_t* counts = panel + static_cast<std::size_t>(kPanelBytes) * stride;
    const int n_values = frame.n_channels - (frame.sized ? 1 : 0);
    T* sizes = frame.sized ? table + static_cast<std::size_t>(n_values) * table_size : nullptr;
    bool any = false;  // a panel was counted before, for sizes and weights
    for (int b = 0; b < frame.n_blocks; ++b) {
        const Block block = frame.blocks[b];
        T* out = table + (frame.difference ? 0 : static_cast<std::size_t>(b) * table_size);
        const bool negative = frame.difference && b == 1;
        bool filled = frame.difference && b == 1;  // the channel has its first panel
        int rows = 0;
        for (int w = block.word_begin; w < block.word_end; ++w) rows += count_bits(filter[w]);
        const int packed = (rows + 63) / 64;
        for (std::size_t i = 0, a = 0; i < stride && packed > 0; ++i) {
            std::uint64_t* bits = scratch.bits + i * static_cast<std::size_t>(packed);
            if (a < static_cast<std::size_t>(frame.n_active) && static_cast<std::size_t>(frame.active[a]) == i) {
                compress(frame.columns + i * words + block.word_begin, filter + block.word_begin, block.word_end - block.word_begin, bits);
                ++a;
            } else {
                for (int w = 0; w < packed; ++w) bits[w] = 0;
            }
        }
        // A channel without rows still needs its zeros.
        for (int begin = 0; begin < packed || (!filled && begin == 0); begin += kPanelWords) {
            const int end = begin + kPanelWords < packed ? begin + kPanelWords : packed;
            const int left = rows - 64 * begin < 64 * (end - begin) ? rows - 64 * begin : 64 * (end - begin);
            const int bytes = (left + kRowsPerByte - 1) / kRowsPerByte;
            for (int w = begin; w < end; ++w)
                for (std::size_t i = 0; i < stride; i += 8)
                    transpose_words(scratch.bits + i * static_cast<std::size_t>(packed) + w, static_cast<std::size_t>(packed),
                                    panel + static_cast<std::size_t>((w - begin) * 64 / kRowsPerByte) * stride + i, stride);
            for (int a = 0; a < frame.n_active; a += 2) {
                const int group = frame.n_active - a < 2 ? 1 : 2;
                const std::int32_t* features = frame.active + a;
                if (group == 2)
                    count_rows<2>(panel, stride, bytes, features, 0, counts);
                else
                    count_rows<1>(panel, stride, bytes, features, 0, counts);
                for (int k = 0; k < group; ++k) {
                    const std::size_t row = static_cast<std::size_t>(features[k]) * stride;
                    const std::uint8_t* own = counts + static_cast<std::size_t>(k) * stride;
                    add_counts(out + row, own, frame.stride, !filled, negative);
                    if (sizes != nullptr) add_counts(sizes + row, own, frame.stride, !any, false);
                    if (weights != nullptr) add_weights(weights + row, own, frame.stride, !any);
                }
            }
            filled = any = true;
        }
    }
}

void count_table(const Frame& frame, const std::uint64_t* filter, void* table, double* weights, const Scratch& scratch) {
    switch (frame.lane) {
        case Lane::i8: return count_table(frame, filter, static_cast<std::int8_t*>(table), weights, scratch);
        case Lane::i16: return count_table(frame, filter, static_cast<std::int16_t*>(table), weights, scratch);
        default: return count_table(frame, filter, static_cast<std::int32_t*>(table), weights, scratch);
    }
}
