// Pair tables of two statistics in one whole number. Part of kernels/body.hpp.
//
// Where the first statistic is a whole number (rows) and the second one lies on a grid, a row is the
// number n * 2^shift + s, and sums of such numbers are the sums of both: one addition for both statistics, a
// table of a third of the size, and the cells of a pair by three subtractions. With doubles the search of
// concrete (713 merged rows, 66 features, depth 4, AVX-512) takes 1.47 times as long. The shift leaves room:
// for every set of rows |sum of s| < 2^(shift - 1), so that s is found again in the low bits.

typedef long long Longs __attribute__((vector_size(kVectorBytes), aligned(8), may_alias));
inline Longs& longs(std::int64_t* p) { return *reinterpret_cast<Longs*>(p); }
inline const Longs& longs(const std::int64_t* p) { return *reinterpret_cast<const Longs*>(p); }

// sum += value in the lanes whose bit is set, the lowest bit first.
inline void add_masked(Longs& sum, unsigned bits, std::int64_t value) {
#if STREED_VECTOR_BYTES == 64
    sum = reinterpret_cast<Longs>(
        _mm512_mask_add_epi64(reinterpret_cast<__m512i>(sum), static_cast<__mmask8>(bits),
                              reinterpret_cast<__m512i>(sum), _mm512_set1_epi64(value)));
#else
    Longs bit{};
    for (int k = 0; k < kLanes<double>; ++k) bit[k] = 1ll << k;
    const Longs hit = (bit & static_cast<long long>(bits)) == bit;
    sum += hit & value;
#endif
}

// out = base + or - sums of the listed rows, V vectors of lanes from `lane` on. A base that is null is zero.
template <int V>
inline void packed_sums(const std::uint64_t* masks, int groups, const std::int64_t* values,
                        const RowList& rows, const std::int64_t* base, int lane, std::int64_t* out) {
    constexpr int kMaskLanes = kLanes<double>;
    Longs sum[V];
    for (int v = 0; v < V; ++v) sum[v] = Longs{};
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(masks);
    for (int k = 0; k < rows.count; ++k) {
        const std::size_t slot = rows.rows[k];
        const unsigned char* own = bytes + slot * static_cast<std::size_t>(groups) * 8;
        const std::int64_t value = values[slot];
        for (int v = 0; v < V; ++v) {
            const int at_lane = lane + v * kMaskLanes;
            const unsigned bits = static_cast<unsigned>(own[at_lane / 8]) >> (at_lane % 8);
            add_masked(sum[v], bits & ((1u << kMaskLanes) - 1), value);
        }
    }
    for (int v = 0; v < V; ++v) {
        const int at_lane = lane + v * kMaskLanes;
        const Longs from = base == nullptr ? Longs{} : longs(base + at_lane);
        longs(out + at_lane) = rows.minus ? from - sum[v] : from + sum[v];
    }
}

// A pass for each power of two in the number of vectors. One pass for exactly so many vectors is no faster
// (concrete at depth 4: 30 ms instead of 29).
inline void packed_row(const std::uint64_t* masks, int groups, const std::int64_t* values,
                       const RowList& rows, const std::int64_t* base, int lane, int lanes,
                       std::int64_t* out) {
    constexpr int kWidth = kLanes<double>;
    for (; lane + 8 * kWidth <= lanes; lane += 8 * kWidth)
        packed_sums<8>(masks, groups, values, rows, base, lane, out);
    for (; lane + 4 * kWidth <= lanes; lane += 4 * kWidth)
        packed_sums<4>(masks, groups, values, rows, base, lane, out);
    for (; lane + 2 * kWidth <= lanes; lane += 2 * kWidth)
        packed_sums<2>(masks, groups, values, rows, base, lane, out);
    for (; lane < lanes; lane += kWidth) packed_sums<1>(masks, groups, values, rows, base, lane, out);
}

// The filtered rows side by side, where they are few: their masks, their values, and room for two columns,
// that of a feature and of the one before. Rows are listed once per feature; few rows strewn over many words
// take a wrong guess of the processor for each of them.
struct ChosenRows {
    const std::uint64_t* masks;
    const std::int64_t* values;
    const std::uint64_t* filter;
    int words;
    std::uint64_t* columns;  // null: the rows are not packed

    const std::uint64_t* bits(const Frame& frame, const std::uint64_t* selected, int a) const {
        const std::uint64_t* whole = column_of(frame, frame.active[a]);
        if (columns == nullptr) return whole;
        std::uint64_t* column = columns + (a % 2) * (words + 1);
        compress(whole, selected, frame.words, column);
        return column;
    }
};

inline ChosenRows choose_rows(const Frame& frame, const ChosenRows& all, int groups, std::uint32_t* indices,
                              std::uint64_t* room) {
    int kept = 0;
    for (int w = 0; w < frame.words; ++w) kept += count_bits(all.filter[w]);
    if (2 * kept > 64 * frame.words) return all;
    const int words = (kept + 63) / 64;
    std::uint64_t* masks = room;
    std::int64_t* values = reinterpret_cast<std::int64_t*>(masks + static_cast<std::size_t>(kept) *
                                                                       static_cast<std::size_t>(groups));
    std::uint64_t* filter = reinterpret_cast<std::uint64_t*>(values + kept);
    int count = 0;
    for (int w = 0; w < frame.words; ++w)
        count += decode(all.filter[w], static_cast<std::uint32_t>(w) * 64u, indices + count);
    for (int k = 0; k < kept; ++k) {
        values[k] = all.values[indices[k]];
        for (int g = 0; g < groups; ++g)
            masks[static_cast<std::size_t>(k) * static_cast<std::size_t>(groups) +
                  static_cast<std::size_t>(g)] =
                all.masks[static_cast<std::size_t>(indices[k]) * static_cast<std::size_t>(groups) +
                          static_cast<std::size_t>(g)];
    }
    for (int w = 0; w < words; ++w) filter[w] = ~0ull;
    if (kept % 64 != 0) filter[words - 1] = (1ull << (kept % 64)) - 1;
    return {masks, values, filter, words, filter + words};
}

// table[i][j] for active i and j over the filtered rows, whose sums per feature are `singles`. `indices` has
// packed_room() bytes. Only HalfRows are filled if `half` is enough.
void packed_table(const Frame& frame, const std::uint64_t* masks, const std::uint64_t* filter,
                  const std::int64_t* values, const std::int64_t* singles, std::int64_t* table,
                  std::uint32_t* indices, bool half) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    const int groups = (frame.stride + 63) / 64;
    const HalfRows filled(frame);
    const ChosenRows rows = choose_rows(frame, {masks, values, filter, frame.words, nullptr}, groups, indices,
                                        reinterpret_cast<std::uint64_t*>(indices + 64 * (frame.words + 1)));
    masks = rows.masks;
    values = rows.values;
    RowPlans plans(rows.filter, rows.words, indices);
    const std::uint64_t* previous = nullptr;
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a], before = a > 0 ? frame.active[a - 1] : -1;
        const std::uint64_t* column = rows.bits(frame, filter, a);
        const bool follows = before >= 0 && filled.alike(before, i);
        const RowPlan plan = plans.next(column, follows ? previous : nullptr);
        previous = column;
        std::int64_t* out = table + static_cast<std::size_t>(i) * stride;
        const std::int64_t* base = plan.base == RowPlan::Base::all ? singles : nullptr;
        if (plan.base == RowPlan::Base::previous) base = table + static_cast<std::size_t>(before) * stride;
        packed_row(masks, groups, values, plan.lists[0], base, filled.begin(i), filled.end(i), out);
        if (plan.lists[1].count > 0)
            packed_row(masks, groups, values, plan.lists[1], out, filled.begin(i), filled.end(i), out);
    }
    if (!half) mirror_rows(frame, filled, table);
}
