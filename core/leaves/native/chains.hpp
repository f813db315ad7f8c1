// Pair tables of nested features: sums run along a chain. Part of kernels/body.hpp.
//
// Features that are thresholds of one column lie side by side and hold each other. Every row then enters such
// a chain once, at the smallest feature that has it: the row is added to the sums of that feature, and the
// sums of the others follow by adding up along the chain. RowPlans (table.hpp) add as few rows, but list them
// per feature, which takes 28 % of the instructions of a table (concrete at depth 4, AVX2). The sums are
// numbers of 32 bits, so that a vector has twice the lanes of packed_table.hpp.

// As above, in blocks of lanes that are summed side by side.
constexpr int kChainVectors = 8;  // of a block
constexpr int kChainRows = 64;    // that are spread over lanes at a time
static_assert(sizeof(Vec<std::int32_t>) * kChainVectors * kChainRows <= kChainRoom);

// `value` in the lanes whose bit is set, the lowest bit first.
inline Vec<std::int32_t> spread(unsigned bits, std::int32_t value) {
#if STREED_VECTOR_BYTES == 64
    return reinterpret_cast<Vec<std::int32_t>>(_mm512_maskz_set1_epi32(static_cast<__mmask16>(bits), value));
#else
    Vec<std::int32_t> bit{};
    for (int k = 0; k < kLanes<std::int32_t>; ++k) bit[k] = 1 << k;
    return ((bit & static_cast<std::int32_t>(bits)) == bit) & value;
#endif
}

// Lanes of the rows of a chain that are summed.
struct ChainLanes {
    int begin, end;

    ChainLanes(const Frame& frame, const HalfRowsOf<kLanes<std::int32_t>>& filled, const Chain& chain)
        : begin(0), end(filled.lanes) {
        if (frame.active[chain.last] >= filled.full) return;
        begin = filled.begin(frame.active[chain.first]);
        end = filled.full;
    }
};

// Adds rows, each spread over `step` vectors of which the first N are meant, to the rows of the table where
// they enter.
template <int N>
void add_rows(const Vec<std::int32_t>* own, int step, const std::uint32_t* rows, int count,
              const std::uint32_t* entry, std::int32_t* table) {
    for (int k = 0; k < count; ++k, own += step) {
        Vec<std::int32_t>* out = vectors(table + entry[rows[k]]);
        Vec<std::int32_t> sum[N];
        for (int v = 0; v < N; ++v) sum[v] = out[v] + own[v];
        for (int v = 0; v < N; ++v) out[v] = sum[v];
    }
}

inline void add_rows(int n, const Vec<std::int32_t>* own, int step, const std::uint32_t* rows, int count,
                     const std::uint32_t* entry, std::int32_t* table) {
    switch (n) {
        case 1:
            return add_rows<1>(own, step, rows, count, entry, table);
        case 2:
            return add_rows<2>(own, step, rows, count, entry, table);
        case 3:
            return add_rows<3>(own, step, rows, count, entry, table);
        case 4:
            return add_rows<4>(own, step, rows, count, entry, table);
        case 5:
            return add_rows<5>(own, step, rows, count, entry, table);
        case 6:
            return add_rows<6>(own, step, rows, count, entry, table);
        case 7:
            return add_rows<7>(own, step, rows, count, entry, table);
        default:
            return add_rows<8>(own, step, rows, count, entry, table);
    }
}

// own[row][v] = the values of the listed rows in the lanes of V vectors from `lane` on. Known numbers of
// vectors keep the counters out of the loops.
template <int V>
void spread_rows(const std::uint64_t* masks, std::size_t groups, const std::int32_t* values,
                 const std::uint32_t* rows, int count, int lane, Vec<std::int32_t>* own) {
    constexpr int kWidth = kLanes<std::int32_t>;
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(masks) + lane / 8;
    for (int k = 0; k < count; ++k, own += V) {
        const std::size_t slot = rows[k];
        std::uint64_t bits[2] = {};
        __builtin_memcpy(bits, bytes + slot * groups * 8, V * kWidth > 64 ? 16 : 8);
        bits[0] >>= lane % 8;
        const std::int32_t value = values[slot];
        for (int v = 0; v < V; ++v)
            own[v] = spread(
                static_cast<unsigned>(bits[v * kWidth / 64] >> (v * kWidth % 64)) & ((1u << kWidth) - 1),
                value);
    }
}

inline void spread_rows(int n, const std::uint64_t* masks, std::size_t groups, const std::int32_t* values,
                        const std::uint32_t* rows, int count, int lane, Vec<std::int32_t>* own) {
    switch (n) {
        case 1:
            return spread_rows<1>(masks, groups, values, rows, count, lane, own);
        case 2:
            return spread_rows<2>(masks, groups, values, rows, count, lane, own);
        case 3:
            return spread_rows<3>(masks, groups, values, rows, count, lane, own);
        case 4:
            return spread_rows<4>(masks, groups, values, rows, count, lane, own);
        case 5:
            return spread_rows<5>(masks, groups, values, rows, count, lane, own);
        case 6:
            return spread_rows<6>(masks, groups, values, rows, count, lane, own);
        case 7:
            return spread_rows<7>(masks, groups, values, rows, count, lane, own);
        default:
            return spread_rows<8>(masks, groups, values, rows, count, lane, own);
    }
}

// Sums along a chain: a feature has the rows that enter at it, and those of the next smaller one.
void run_along(const Frame& frame, const Chain& chain, const ChainLanes& lanes, std::int32_t* table,
               std::size_t pitch) {
    for (int k = 1; k <= chain.last - chain.first; ++k) {
        const int to = chain.falling ? chain.last - k : chain.first + k;
        const int from = chain.falling ? to + 1 : to - 1;
        std::int32_t* out = table + static_cast<std::size_t>(frame.active[to]) * pitch;
        const std::int32_t* in = table + static_cast<std::size_t>(frame.active[from]) * pitch;
        for (int j = lanes.begin; j < lanes.end; j += kLanes<std::int32_t>)
            *vectors(out + j) += *vectors(in + j);
    }
}

// table[i][j] for active i over the filtered rows; the HalfRows of vectors of 32 bits are filled at least.
// Lanes are taken in blocks, so that the rows of a block stay in the nearest cache.
void chain_table(const Frame& frame, const ChainRows& rows, const std::uint64_t* filter,
                 std::int32_t* table) {
    constexpr int kWidth = kLanes<std::int32_t>, kBlock = kChainVectors * kWidth;
    const HalfRowsOf<kWidth> filled(frame);
    const std::size_t groups = (static_cast<std::size_t>(frame.stride) + 63) / 64;
    Vec<std::int32_t>* const own = static_cast<Vec<std::int32_t>*>(rows.room);
    int count = 0;
    for (int w = 0; w < frame.words; ++w)
        count += decode(filter[w], static_cast<std::uint32_t>(w) * 64u, rows.indices + count);
    for (int c = 0; c < rows.n_chains; ++c) {
        const ChainLanes lanes(frame, filled, rows.chains[c]);
        for (int a = rows.chains[c].first; a <= rows.chains[c].last; ++a) {
            std::int32_t* out = table + static_cast<std::size_t>(frame.active[a]) * rows.pitch;
            for (int j = lanes.begin; j < lanes.end; j += kWidth) *vectors(out + j) = Vec<std::int32_t>{};
        }
    }
    for (int block = 0; block < filled.lanes; block += kBlock) {
        const int stop = smaller(filled.lanes, block + kBlock), step = (stop - block) / kWidth;
        for (int from = 0; from < count; from += kChainRows) {
            const int n = smaller(kChainRows, count - from);
            const std::uint32_t* listed = rows.indices + from;
            spread_rows(step, rows.masks, groups, rows.values, listed, n, block, own);
            for (int c = 0; c < rows.n_chains; ++c) {
                const ChainLanes lanes(frame, filled, rows.chains[c]);
                const int first = larger(lanes.begin, block), last = smaller(lanes.end, stop);
                if (first >= last) continue;
                add_rows((last - first) / kWidth, own + (first - block) / kWidth, step, listed, n,
                         rows.entry + static_cast<std::size_t>(c) * rows.slots, table + first);
            }
        }
    }
    for (int c = 0; c < rows.n_chains; ++c)
        run_along(frame, rows.chains[c], ChainLanes(frame, filled, rows.chains[c]), table, rows.pitch);
}
