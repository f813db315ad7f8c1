// Pair tables of rows that count one each, by counting bits.
//
// The bits of the filtered rows are packed (pext), then laid out in panels: byte (c, j) of a panel holds a few rows of
// feature j, so that one vector covers the same rows of many features. ANDed with the broadcast byte of feature i and
// counted, it adds to row i of the table in 8-bit lanes.
//
//     panel:   rows 0-3 of features 0..31 | rows 4-7 of features 0..31 | ...
//
// With AVX2 a byte holds four rows, because a byte shuffle then counts them without shifts and masks. A table is
// symmetric: where there are many rows only the lanes from the diagonal on are counted, and the rest is mirrored.
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
#if STREED_VECTOR_BYTES == 64 && defined(__AVX512BITALG__)
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

// Two vectors interleaved by constant positions; the compilers spell it differently.
#if defined(__clang__)
#define STREED_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define STREED_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, decltype(a){__VA_ARGS__})
#endif

typedef std::uint8_t Byte16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef std::uint64_t Pair __attribute__((vector_size(16), may_alias));

// An 8 x 8 transpose of bytes by three rounds of interleaving: byte f of out[b] is byte b of word f, two words of the
// result in each of the four vectors.
inline void transpose_bytes(const std::uint64_t* word, std::size_t step, Byte16 out[4]) {
    Byte16 v[4];  // v[k] = bytes of word k, then of word k + 4
    for (std::size_t k = 0; k < 4; ++k) v[k] = reinterpret_cast<Byte16>(Pair{word[k * step], word[(k + 4) * step]});
    const auto low = [](Byte16 a, Byte16 b) { return STREED_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23); };
    const auto high = [](Byte16 a, Byte16 b) { return STREED_SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31); };
    const Byte16 a = low(v[0], v[2]), b = low(v[1], v[3]);    // 0 2, 1 3
    const Byte16 c = high(v[0], v[2]), d = high(v[1], v[3]);  // 4 6, 5 7
    const Byte16 e0 = low(a, b), e1 = high(a, b);             // 0 1 2 3
    const Byte16 f0 = low(c, d), f1 = high(c, d);             // 4 5 6 7
    const auto join_low = [](Byte16 e, Byte16 f) { return STREED_SHUFFLE(e, f, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23); };
    const auto join_high = [](Byte16 e, Byte16 f) { return STREED_SHUFFLE(e, f, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31); };
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

// One word of rows for eight features, into the panel.
inline void fill_panel(const std::uint64_t* word, std::size_t step, std::uint8_t* out, std::size_t stride) {
    Byte16 rows[4];
    transpose_bytes(word, step, rows);
    for (std::size_t k = 0; k < 4; ++k) {
        if (kRowsPerByte == 8) {
            store_halves(rows[k], out + 2 * k * stride, out + (2 * k + 1) * stride);
        } else {
            const Pair lower = reinterpret_cast<Pair>(rows[k] & 0x0f);
            const Pair upper = reinterpret_cast<Pair>((rows[k] >> 4) & 0x0f);
            const std::uint64_t parts[4] = {lower[0], upper[0], lower[1], upper[1]};
            for (std::size_t q = 0; q < 4; ++q) __builtin_memcpy(out + (4 * k + q) * stride, &parts[q], 8);
        }
    }
}

// Numbers of rows are tallied in a type that holds the rows of both labels.
template <class T>
struct TallyOf { using type = std::uint16_t; };
template <>
struct TallyOf<std::int32_t> { using type = std::int32_t; };
template <class T>
using Tally = typename TallyOf<T>::type;

// Where the counts of a panel go. Rows of a panel: `positive` bytes that are added, then `negative` ones that are
// subtracted; tallies (may be null) count both.
template <class T>
struct PanelTarget {
    int positive, negative;
    T* table;
    bool first;  // nothing was counted into the table before
    Tally<T>* tallies;
    bool first_tally;
};

// Counts a panel for `Count` features i and `Vectors` vectors of features j; the second of two parts is subtracted.
template <class T, int Parts, int Count, int Vectors>
inline void count_tile(const std::uint8_t* panel, std::size_t stride, const std::int32_t* features, std::size_t begin,
                       const PanelTarget<T>& target) {
    Bytes sum[Parts][Count][Vectors];
    const std::uint8_t* at = panel + begin;
    for (int part = 0; part < Parts; ++part) {
        for (int k = 0; k < Count; ++k)
            for (int v = 0; v < Vectors; ++v) sum[part][k][v] = Bytes{};
        const std::uint8_t* end = at + static_cast<std::size_t>(part == 0 ? target.positive : target.negative) * stride;
        for (; at != end; at += stride) {
            Bytes x[Vectors];
            for (int v = 0; v < Vectors; ++v) x[v] = reinterpret_cast<const Bytes*>(at)[v];
            for (int k = 0; k < Count; ++k) {
                const Bytes own = Bytes{} + at[features[k] - static_cast<std::ptrdiff_t>(begin)];
                for (int v = 0; v < Vectors; ++v) sum[part][k][v] += count_bytes(x[v] & own);
            }
        }
    }
    for (int k = 0; k < Count; ++k) {
        for (int v = 0; v < Vectors; ++v) {
            alignas(kVectorBytes) std::uint8_t plus[kVectorBytes], minus[kVectorBytes];
            *reinterpret_cast<Bytes*>(plus) = sum[0][k][v];
            *reinterpret_cast<Bytes*>(minus) = Parts == 2 ? sum[Parts - 1][k][v] : Bytes{};
            const std::size_t offset = static_cast<std::size_t>(features[k]) * stride + begin + static_cast<std::size_t>(v) * kVectorBytes;
            T* row = target.table + offset;
            const auto counted = [&](int j) { return Parts == 2 ? static_cast<T>(static_cast<T>(plus[j]) - static_cast<T>(minus[j])) : static_cast<T>(plus[j]); };
            const auto tallied = [&](int j) { return Parts == 2 ? plus[j] + minus[j] : plus[j]; };
            if (target.first)
                for (int j = 0; j < kVectorBytes; ++j) row[j] = counted(j);
            else
                for (int j = 0; j < kVectorBytes; ++j) row[j] = static_cast<T>(row[j] + counted(j));
            if (target.tallies == nullptr) continue;
            Tally<T>* tally = target.tallies + offset;
            if (target.first_tally)
                for (int j = 0; j < kVectorBytes; ++j) tally[j] = static_cast<Tally<T>>(tallied(j));
            else
                for (int j = 0; j < kVectorBytes; ++j) tally[j] = static_cast<Tally<T>>(tally[j] + tallied(j));
        }
    }
}

// Lanes from `begin` on, up to four vectors at a time.
template <class T, int Parts, int Count>
inline void count_rows(const std::uint8_t* panel, std::size_t stride, const std::int32_t* features, std::size_t begin,
                       const PanelTarget<T>& target) {
    while (begin < stride) {
        switch ((stride - begin) / kVectorBytes) {
            case 1: count_tile<T, Parts, Count, 1>(panel, stride, features, begin, target); begin += kVectorBytes; break;
            case 2: count_tile<T, Parts, Count, 2>(panel, stride, features, begin, target); begin += 2 * kVectorBytes; break;
            case 3: count_tile<T, Parts, Count, 3>(panel, stride, features, begin, target); begin += 3 * kVectorBytes; break;
            default: count_tile<T, Parts, Count, 4>(panel, stride, features, begin, target); begin += 4 * kVectorBytes; break;
        }
    }
}

template <class T, int Parts>
void count_panel(const Frame& frame, const std::uint8_t* panel, bool half, const PanelTarget<T>& target) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    int a = 0;
    if (stride == static_cast<std::size_t>(kVectorBytes))  // few lanes: more features share what is read
        for (; a + 4 <= frame.n_active; a += 4) count_tile<T, Parts, 4, 1>(panel, stride, frame.active + a, 0, target);
    for (; a < frame.n_active; a += 2) {
        const std::int32_t* features = frame.active + a;
        const std::size_t begin = half ? static_cast<std::size_t>(features[0] / kVectorBytes * kVectorBytes) : 0;
        if (a + 1 < frame.n_active)
            count_rows<T, Parts, 2>(panel, stride, features, begin, target);
        else
            count_rows<T, Parts, 1>(panel, stride, features, begin, target);
    }
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

constexpr int kMirrorRows = 48;  // fewer rows are counted faster than mirrored

// How the words of a filter are packed, worked out once for all columns; words without rows are left out.
struct PackedWord {
    std::uint64_t selected;
    std::uint32_t from;   // the word in the column
    std::uint32_t shift;  // bits that the word under construction has already
    bool full;            // the word under construction is full after this one
    bool complete;        // and nothing is left for the next one
};
static_assert(sizeof(PackedWord) <= kPlanBytes);

inline int plan_packing(const std::uint64_t* filter, int words, PackedWord* plan) {
    unsigned shift = 0;
    int steps = 0;
    for (int w = 0; w < words; ++w) {
        const unsigned next = shift + static_cast<unsigned>(count_bits(filter[w]));
        plan[steps] = {filter[w], static_cast<std::uint32_t>(w), shift, next >= 64, next % 64 == 0};
        steps += filter[w] != 0;
        shift = next % 64;
    }
    return steps;
}

// Several columns at a time: the steps of one column depend on each other, those of different columns do not, and all of them take
// the same branches.
template <int Columns>
inline void pack_columns(const std::uint64_t* const* column, const PackedWord* plan, int steps, std::uint64_t* const* out) {
    std::uint64_t word[Columns] = {};
    std::size_t at = 0;
    for (int k = 0; k < steps; ++k) {
        const PackedWord step = plan[k];
        if (!step.full) {
            for (int c = 0; c < Columns; ++c) word[c] |= extract(column[c][step.from], step.selected) << step.shift;
        } else {
            for (int c = 0; c < Columns; ++c) {
                const std::uint64_t bits = extract(column[c][step.from], step.selected);
                out[c][at] = word[c] | (bits << step.shift);
                word[c] = (bits >> 1) >> (63 - step.shift);
            }
            ++at;
        }
    }
    if (steps > 0 && !plan[steps - 1].complete)
        for (int c = 0; c < Columns; ++c) out[c][at] = word[c];
}

template <int Columns>
inline void pack_groups(const std::uint64_t* const* columns, int n, const PackedWord* plan, int steps, std::uint64_t* const* out) {
    int k = 0;
    for (; k + Columns <= n; k += Columns) pack_columns<Columns>(columns + k, plan, steps, out + k);
    for (; k < n; ++k) pack_columns<1>(columns + k, plan, steps, out + k);
}

void compress_columns(const std::uint64_t* const* columns, int n, const std::uint64_t* selected, int words, void* plan, std::uint64_t* const* out) {
    PackedWord* packing = static_cast<PackedWord*>(plan);
    const int steps = plan_packing(selected, words, packing);
    pack_groups<4>(columns, n, packing, steps, out);
}

// The filtered rows of one block, all features: bits[i * step ...], zero for features that are not active.
inline void pack_block(const Frame& frame, const Block& block, const PackedWord* plan, int steps, std::uint64_t* bits, std::size_t step) {
    constexpr int kColumns = 4;
    const std::uint64_t* from[kColumns];
    std::uint64_t* to[kColumns];
    for (int a = 0; a < frame.n_active; a += kColumns) {
        const int count = frame.n_active - a < kColumns ? frame.n_active - a : kColumns;
        for (int c = 0; c < count; ++c) {
            const std::size_t i = static_cast<std::size_t>(frame.active[a + c]);
            from[c] = frame.columns + i * static_cast<std::size_t>(frame.words) + block.word_begin;
            to[c] = bits + i * step;
        }
        pack_groups<kColumns>(from, count, plan, steps, to);
    }
    const std::size_t used = frame.n_active == 0 ? 0 : static_cast<std::size_t>(frame.active[frame.n_active - 1]) + 1;
    for (int k = 0; k < frame.n_idle && static_cast<std::size_t>(frame.idle[k]) < used; ++k)
        for (std::size_t w = 0; w < step; ++w) bits[static_cast<std::size_t>(frame.idle[k]) * step + w] = 0;
    __builtin_memset(bits + used * step, 0, (static_cast<std::size_t>(frame.stride) - used) * step * 8);
}

// Zeros for all active rows.
template <class T>
void clear_table(const Frame& frame, T* table) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    for (int a = 0; a < frame.n_active; ++a) {
        Bytes* row = reinterpret_cast<Bytes*>(table + static_cast<std::size_t>(frame.active[a]) * stride);
        for (std::size_t k = 0; k < stride * sizeof(T) / sizeof(Bytes); ++k) row[k] = Bytes{};
    }
}

template <class T>
void count_table(const Frame& frame, const std::uint64_t* filter, T* table, double* weights, const Scratch& scratch) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    const std::size_t words = static_cast<std::size_t>(frame.words);
    const std::size_t table_size = stride * stride;
    const int n_values = frame.n_channels - (frame.counted ? 1 : 0);
    const int blocks_at_once = frame.difference ? 2 : 1;
    int all_rows = 0;
    for (std::size_t w = 0; w < words; ++w) all_rows += count_bits(filter[w]);
    const bool half = all_rows >= kMirrorRows && stride > static_cast<std::size_t>(kVectorBytes);
    Tally<T>* tallies = frame.counted || weights != nullptr ? static_cast<Tally<T>*>(scratch.tallies) : nullptr;
    PanelTarget<T> target{0, 0, table, true, tallies, true};

    for (int b = 0; b < frame.n_blocks; b += blocks_at_once) {
        // Pack the filtered rows of one block, or of the positive and the negative one.
        int rows[2] = {0, 0}, packed[2] = {0, 0}, done[2] = {0, 0};
        std::size_t step[2] = {0, 0};
        std::uint64_t* bits[2] = {scratch.bits, nullptr};
        for (int q = 0; q < blocks_at_once; ++q) {
            const Block block = frame.blocks[b + q];
            for (int w = block.word_begin; w < block.word_end; ++w) rows[q] += count_bits(filter[w]);
            packed[q] = (rows[q] + 63) / 64;
            step[q] = static_cast<std::size_t>(packed[q]) + 1;
            PackedWord* plan = reinterpret_cast<PackedWord*>(scratch.plan);
            const int steps = plan_packing(filter + block.word_begin, block.word_end - block.word_begin, plan);
            if (q == 1) bits[1] = bits[0] + stride * step[0];
            if (rows[q] > 0) pack_block(frame, block, plan, steps, bits[q], step[q]);
        }
        target.table = table + (frame.difference ? 0 : static_cast<std::size_t>(b) * table_size);
        target.first = true;
        if (rows[0] + rows[1] == 0 && (tallies == nullptr || !target.first_tally)) {
            clear_table(frame, target.table);
            continue;
        }
        // Panels of up to kPanelWords words; a table without rows still needs its zeros.
        int panels = 0;
        do {
            if ((++panels % 64 == 0 || stride > 1024) && scratch.checkpoint != nullptr) scratch.checkpoint(scratch.context);
            std::uint8_t* at = scratch.panel;
            int room = kPanelWords;
            int bytes[2] = {0, 0};
            for (int q = 0; q < blocks_at_once; ++q) {
                const int take = packed[q] - done[q] < room ? packed[q] - done[q] : room;
                for (int w = 0; w < take; ++w)
                    for (std::size_t i = 0; i < stride; i += 8)
                        fill_panel(bits[q] + i * step[q] + done[q] + w, step[q],
                                   at + static_cast<std::size_t>(w * 64 / kRowsPerByte) * stride + i, stride);
                const int left = rows[q] - 64 * done[q];
                bytes[q] = take == 0 ? 0 : ((left < 64 * take ? left : 64 * take) + kRowsPerByte - 1) / kRowsPerByte;
                at += static_cast<std::size_t>(bytes[q]) * stride;
                done[q] += take;
                room -= take;
            }
            target.positive = bytes[0];
            target.negative = bytes[1];
            frame.difference ? count_panel<T, 2>(frame, scratch.panel, half, target) : count_panel<T, 1>(frame, scratch.panel, half, target);
            target.first = target.first_tally = false;
        } while (done[0] < packed[0] || done[1] < packed[1]);
        if (half) mirror(frame, target.table);
    }
    if (tallies == nullptr) return;
    if (half) mirror(frame, tallies);
    T* sizes = frame.counted ? table + static_cast<std::size_t>(n_values) * table_size : nullptr;
    for (int a = 0; a < frame.n_active; ++a) {
        const std::size_t begin = static_cast<std::size_t>(frame.active[a]) * stride;
        if (sizes != nullptr)
            for (std::size_t j = begin; j < begin + stride; ++j) sizes[j] = static_cast<T>(tallies[j]);
        if (weights != nullptr)
            for (std::size_t j = begin; j < begin + stride; ++j) weights[j] = static_cast<double>(tallies[j]);
    }
}

void count_table(const Frame& frame, const std::uint64_t* filter, void* table, double* weights, const Scratch& scratch) {
    switch (frame.lane) {
        case Lane::i8: return count_table(frame, filter, static_cast<std::int8_t*>(table), weights, scratch);
        case Lane::i16: return count_table(frame, filter, static_cast<std::int16_t*>(table), weights, scratch);
        default: return count_table(frame, filter, static_cast<std::int32_t*>(table), weights, scratch);
    }
}

// Numbers of the parent may be wider than those of the node. Lanes that are idle in both have zeros already.
template <class P, class T>
void difference(const Frame& parent, const Frame& node, const std::int32_t* lanes, int channels, const P* whole, const P* part, T* out) {
    const std::size_t from_stride = static_cast<std::size_t>(parent.stride), stride = static_cast<std::size_t>(node.stride);
    // Lanes that are idle in the node only; where there are more than so many, all idle ones are cleared.
    std::int32_t fresh[64];
    int n_fresh = 0;
    for (int k = 0, p = 0; lanes == nullptr && k < node.n_idle && n_fresh <= 64; ++k) {
        while (p < parent.n_idle && parent.idle[p] < node.idle[k]) ++p;
        if (p < parent.n_idle && parent.idle[p] == node.idle[k]) continue;
        if (n_fresh < 64) fresh[n_fresh] = node.idle[k];
        ++n_fresh;
    }
    const std::int32_t* stale = n_fresh <= 64 ? fresh : node.idle;
    const int n_stale = n_fresh <= 64 ? n_fresh : node.n_idle;
    const std::size_t used = node.n_active == 0 ? 0 : static_cast<std::size_t>(node.active[node.n_active - 1]) + 1;
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
        for (int a = 0; a < node.n_active; ++a) {
            const std::size_t i = static_cast<std::size_t>(node.active[a]);
            const std::size_t own = lanes == nullptr ? i : static_cast<std::size_t>(lanes[i]);
            const P* all = whole + (c * from_stride + own) * from_stride;
            const P* other = part + (c * from_stride + own) * from_stride;
            T* row = out + (c * stride + i) * stride;
            if (lanes == nullptr) {
                for (std::size_t j = 0; j < stride; ++j) row[j] = static_cast<T>(all[j] - other[j]);
                for (int k = 0; k < n_stale; ++k) row[stale[k]] = T{};
            } else {
                for (std::size_t j = 0; j < used; ++j) row[j] = static_cast<T>(all[lanes[j]] - other[lanes[j]]);
                for (std::size_t j = used; j < stride; ++j) row[j] = T{};
                for (int k = 0; k < node.n_idle && static_cast<std::size_t>(node.idle[k]) < used; ++k) row[node.idle[k]] = T{};
            }
        }
    }
}

template <class P>
void difference_from(const Frame& parent, const Frame& node, const std::int32_t* lanes, const void* whole, const void* part, void* out) {
    const auto to = [&](auto* typed) { difference(parent, node, lanes, node.n_channels, static_cast<const P*>(whole), static_cast<const P*>(part), typed); };
    switch (node.lane) {
        case Lane::i8: return to(static_cast<std::int8_t*>(out));
        case Lane::i16: return to(static_cast<std::int16_t*>(out));
        default: return to(static_cast<std::int32_t*>(out));
    }
}

void subtract_table(const Frame& parent, const Frame& node, const std::int32_t* lanes, const void* whole, const void* part, void* out) {
    switch (parent.lane) {
        case Lane::i8: return difference_from<std::int8_t>(parent, node, lanes, whole, part, out);
        case Lane::i16: return difference_from<std::int16_t>(parent, node, lanes, whole, part, out);
        default: return difference_from<std::int32_t>(parent, node, lanes, whole, part, out);
    }
}

void subtract_counts(const Frame& parent, const Frame& node, const std::int32_t* lanes, const double* whole, const double* part, double* out) {
    difference(parent, node, lanes, 1, whole, part, out);
}
