// Pair tables of rows that count one each, by counting bits.
//
// The bits of the filtered rows are packed (pext), then laid out in panels: byte (c, j) of a panel holds a
// few rows of feature j, so that one vector covers the same rows of many features. ANDed with the broadcast
// byte of feature i and counted, it adds to row i of the table in 8-bit lanes.
//
//     panel:   rows 0-3 of features 0..31 | rows 4-7 of features 0..31 | ...
//
// Where a byte shuffle counts (kernels/nibbles.hpp), a byte holds four rows, else eight. A table is
// symmetric: where there are many rows only the lanes from the diagonal on are counted, and the rest is
// mirrored.
#if defined(STREED_NIBBLES)
constexpr int kRowsPerByte = 4;
#else
constexpr int kRowsPerByte = 8;
#endif
constexpr int kPanelBytes = kPanelWords * 64 / kRowsPerByte;  // per feature
static_assert(kPanelWords * 64 <= 255, "counts of a panel must fit into a byte");

// What the rows of one feature, `prepared`, and those of many share.
#if defined(STREED_NIBBLES)
inline Bytes prepare(std::uint8_t own) { return nibble_counts(static_cast<std::uint8_t>(own << 4)); }
inline Bytes count_shared(Bytes prepared, Bytes rows) { return look_up(prepared, rows); }
#else
// Number of set bits in every byte.
inline Bytes count_bytes(Bytes v) {
#if defined(STREED_BIT_COUNTS)
    return reinterpret_cast<Bytes>(_mm512_popcnt_epi8(reinterpret_cast<__m512i>(v)));
#else
    v = v - ((v >> 1) & 0x55);
    v = (v & 0x33) + ((v >> 2) & 0x33);
    return (v + (v >> 4)) & 0x0f;
#endif
}
inline Bytes prepare(std::uint8_t own) { return Bytes{} + own; }
inline Bytes count_shared(Bytes prepared, Bytes rows) { return count_bytes(prepared & rows); }
#endif

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
struct TallyOf {
    using type = std::uint16_t;
};
template <>
struct TallyOf<std::int32_t> {
    using type = std::int32_t;
};
template <class T>
using Tally = typename TallyOf<T>::type;

// Where the counts of a panel go. Rows of a panel: `positive` bytes that are added, then `negative` ones that
// are subtracted; tallies (may be null) count both.
template <class T>
struct PanelTarget {
    int positive, negative;
    T* table;
    bool first;  // nothing was counted into the table before
    Tally<T>* tallies;
    bool first_tally;
};

// Counts a panel for `Count` features i and `Vectors` vectors of features j; the second of two parts is
// subtracted.
template <class T, int Parts, int Count, int Vectors>
inline void count_tile(const std::uint8_t* panel, std::size_t stride, const std::int32_t* features,
                       std::size_t begin, const PanelTarget<T>& target) {
    Bytes sum[Parts][Count][Vectors];
    const std::uint8_t* at = panel + begin;
    for (int part = 0; part < Parts; ++part) {
        for (int k = 0; k < Count; ++k)
            for (int v = 0; v < Vectors; ++v) sum[part][k][v] = Bytes{};
        const std::uint8_t* end =
            at + static_cast<std::size_t>(part == 0 ? target.positive : target.negative) * stride;
        for (; at != end; at += stride) {
            Bytes x[Vectors];
            for (int v = 0; v < Vectors; ++v) x[v] = reinterpret_cast<const Bytes*>(at)[v];
            for (int k = 0; k < Count; ++k) {
                const Bytes own = prepare(at[features[k] - static_cast<std::ptrdiff_t>(begin)]);
                for (int v = 0; v < Vectors; ++v) sum[part][k][v] += count_shared(own, x[v]);
            }
        }
    }
    for (int k = 0; k < Count; ++k) {
        for (int v = 0; v < Vectors; ++v) {
            alignas(kVectorBytes) std::uint8_t plus[kVectorBytes], minus[kVectorBytes];
            *reinterpret_cast<Bytes*>(plus) = sum[0][k][v];
            *reinterpret_cast<Bytes*>(minus) = Parts == 2 ? sum[Parts - 1][k][v] : Bytes{};
            const std::size_t offset = static_cast<std::size_t>(features[k]) * stride + begin +
                                       static_cast<std::size_t>(v) * kVectorBytes;
            T* row = target.table + offset;
            const auto counted = [&](int j) {
                return Parts == 2 ? static_cast<T>(static_cast<T>(plus[j]) - static_cast<T>(minus[j]))
                                  : static_cast<T>(plus[j]);
            };
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
                for (int j = 0; j < kVectorBytes; ++j)
                    tally[j] = static_cast<Tally<T>>(tally[j] + tallied(j));
        }
    }
}

// Lanes from `begin` on, up to four vectors at a time.
template <class T, int Parts, int Count>
inline void count_rows(const std::uint8_t* panel, std::size_t stride, const std::int32_t* features,
                       std::size_t begin, const PanelTarget<T>& target) {
    while (begin < stride) {
        switch ((stride - begin) / kVectorBytes) {
            case 1:
                count_tile<T, Parts, Count, 1>(panel, stride, features, begin, target);
                begin += kVectorBytes;
                break;
            case 2:
                count_tile<T, Parts, Count, 2>(panel, stride, features, begin, target);
                begin += 2 * kVectorBytes;
                break;
            case 3:
                count_tile<T, Parts, Count, 3>(panel, stride, features, begin, target);
                begin += 3 * kVectorBytes;
                break;
            default:
                count_tile<T, Parts, Count, 4>(panel, stride, features, begin, target);
                begin += 4 * kVectorBytes;
                break;
        }
    }
}

template <class T, int Parts>
void count_panel(const Frame& frame, const std::uint8_t* panel, bool half, const PanelTarget<T>& target) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    int a = 0;
    if (stride == static_cast<std::size_t>(kVectorBytes))  // few lanes: more features share what is read
        for (; a + 4 <= frame.n_active; a += 4)
            count_tile<T, Parts, 4, 1>(panel, stride, frame.active + a, 0, target);
    for (; a < frame.n_active; a += 2) {
        const std::int32_t* features = frame.active + a;
        const std::size_t begin = half ? static_cast<std::size_t>(features[0] / kVectorBytes * kVectorBytes)
                                       : 0;
        if (a + 1 < frame.n_active)
            count_rows<T, Parts, 2>(panel, stride, features, begin, target);
        else
            count_rows<T, Parts, 1>(panel, stride, features, begin, target);
    }
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
void count_table(const Frame& frame, const std::uint64_t* filter, T* table, double* weights,
                 const Scratch& scratch) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    const std::size_t words = static_cast<std::size_t>(frame.words);
    const std::size_t table_size = stride * stride;
    const int n_values = frame.n_channels - (frame.counted ? 1 : 0);
    const int blocks_at_once = frame.difference ? 2 : 1;
    int all_rows = 0;
    for (std::size_t w = 0; w < words; ++w) all_rows += count_bits(filter[w]);
    const bool half = all_rows >= kMirrorRows && stride > static_cast<std::size_t>(kVectorBytes);
    Tally<T>* tallies = frame.counted || weights != nullptr ? static_cast<Tally<T>*>(scratch.tallies)
                                                            : nullptr;
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
            const int steps = plan_packing(filter + block.word_begin, block.word_end - block.word_begin,
                                           plan);
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
            if ((++panels % 64 == 0 || stride > 1024) && scratch.checkpoint != nullptr)
                scratch.checkpoint(scratch.context);
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
                bytes[q] = take == 0
                               ? 0
                               : ((left < 64 * take ? left : 64 * take) + kRowsPerByte - 1) / kRowsPerByte;
                at += static_cast<std::size_t>(bytes[q]) * stride;
                done[q] += take;
                room -= take;
            }
            target.positive = bytes[0];
            target.negative = bytes[1];
            frame.difference ? count_panel<T, 2>(frame, scratch.panel, half, target)
                             : count_panel<T, 1>(frame, scratch.panel, half, target);
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

void count_table(const Frame& frame, const std::uint64_t* filter, void* table, double* weights,
                 const Scratch& scratch) {
    switch (frame.lane) {
        case Lane::i8:
            return count_table(frame, filter, static_cast<std::int8_t*>(table), weights, scratch);
        case Lane::i16:
            return count_table(frame, filter, static_cast<std::int16_t*>(table), weights, scratch);
        default:
            return count_table(frame, filter, static_cast<std::int32_t*>(table), weights, scratch);
    }
}
