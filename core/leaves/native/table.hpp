// Pair tables of real statistics. Part of kernels/body.hpp.
//
// A row is a mask of its features and a few numbers. For feature i the rows that have it are walked through
// once per block of lanes, and every statistic is added under the mask into registers, from the block of the
// diagonal on; the rest is mirrored. The other way (kernels/tables/sums.hpp) adds row vectors from memory,
// eight bytes per row, lane and statistic instead of one bit per row and lane: on 713 rows with 66 features
// and three statistics it takes four times as long.

// Up to the last active lane, in whole vectors of so many lanes.
inline int lanes_in_use(const Frame& frame, int width) {
    int last = 0;
    for (int a = 0; a < frame.n_active; ++a) last = frame.active[a] > last ? frame.active[a] : last;
    return (last / width + 1) * width;
}
inline int native_lanes(const Frame& frame) { return lanes_in_use(frame, kLanes<double>); }

// Which lanes of a row of a pair table are filled where half of it is enough, so that every pair is in one
// row at least. Rows are filled from their own vector on, up to the last full vector; the features in a
// vector that is not full are rows over all lanes instead. With 33 features and 8 lanes 85 vectors are
// filled: rows that all end with the last vector, of which they need one lane, take 113 (colon at depth
// 5: 1.2 times as long).
template <int Width>
struct HalfRowsOf {
    int lanes, full;

    explicit HalfRowsOf(const Frame& frame) : lanes(lanes_in_use(frame, Width)), full(0) {
        int last = -1;
        for (int a = 0; a < frame.n_active; ++a) last = frame.active[a] > last ? frame.active[a] : last;
        full = (last + 1) / Width * Width;
    }
    int begin(int row) const { return row < full ? row / Width * Width : 0; }
    int end(int row) const { return row < full ? full : lanes; }
    // Whether the earlier row has all lanes of the later one.
    bool alike(int earlier, int later) const { return later < full || earlier >= full; }
};
using HalfRows = HalfRowsOf<kLanes<double>>;

// The other half of a table whose rows were filled as above.
template <class T>
void mirror_rows(const Frame& frame, const HalfRows& rows, T* table) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    for (int a = 0; a < frame.n_active; ++a) {
        const std::size_t i = static_cast<std::size_t>(frame.active[a]);
        for (int b = a + 1; b < frame.n_active; ++b) {
            const std::size_t j = static_cast<std::size_t>(frame.active[b]);
            if (frame.active[b] < rows.full)
                table[j * stride + i] = table[i * stride + j];
            else
                table[i * stride + j] = table[j * stride + i];
        }
    }
}

inline const std::uint64_t* column_of(const Frame& frame, int feature) {
    return frame.columns + static_cast<std::size_t>(feature) * static_cast<std::size_t>(frame.words);
}

// Slots, and whether they are taken away.
struct RowList {
    const std::uint32_t* rows;
    int count;
    bool minus;
};

// Transposes squares of Size x Size bits side by side: bits [g * Size, (g + 1) * Size) of the first Size
// words are square g.
template <int Size>
inline void turn_squares(std::uint64_t* words) {
    std::uint64_t mask = ~0ull;
    for (int width = 32; width != 0; width >>= 1) {
        mask ^= mask << width;
        if (width >= Size) continue;
        for (int begin = 0; begin < Size; begin += 2 * width) {
            for (int k = begin; k < begin + width; ++k) {
                const std::uint64_t swap = ((words[k] >> width) ^ words[k + width]) & mask;
                words[k] ^= swap << width;
                words[k + width] ^= swap;
            }
        }
    }
}

// The lanes of group g of 64 slots, those in word w, from the columns; `Size` is no less than the last lane
// of the group that is active.
template <int Size>
inline void turn_word(const Frame& frame, int w, int g, std::uint64_t* out, std::size_t step) {
    std::uint64_t words[Size] = {};
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        if (i / 64 == g) words[i % 64] = column_of(frame, i)[w];
    }
    turn_squares<Size>(words);
    for (int k = 0; k < 64; ++k) {
        const std::uint64_t row = words[k % Size] >> (k / Size * Size);
        out[static_cast<std::size_t>(k) * step] = Size == 64 ? row : row & ((1ull << (Size % 64)) - 1);
    }
}

// out[slot][group of 64 lanes] = the active features of every slot, one bit each.
void turn_columns_by_slot(const Frame& frame, std::uint64_t* out) {
    const int groups = (frame.stride + 63) / 64, lanes = native_lanes(frame);
    for (int w = 0; w < frame.words; ++w) {
        for (int g = 0; g < groups; ++g) {
            const std::size_t step = static_cast<std::size_t>(groups);
            std::uint64_t* rows = out + static_cast<std::size_t>(w) * 64 * step + static_cast<std::size_t>(g);
            if (lanes <= 64 * g + 16)
                turn_word<16>(frame, w, g, rows, step);
            else if (lanes <= 64 * g + 32)
                turn_word<32>(frame, w, g, rows, step);
            else
                turn_word<64>(frame, w, g, rows, step);
        }
    }
}

// sum += added in the lanes whose bit is set, the lowest bit first.
inline void add_masked(Vec<double>& sum, unsigned bits, AnyVec added) {
#if STREED_VECTOR_BYTES == 64
    sum = _mm512_mask_add_pd(sum, static_cast<__mmask8>(bits), sum, added);
#else
    typedef long long Lanes __attribute__((vector_size(kVectorBytes)));
    Lanes bit{};
    for (int k = 0; k < kLanes<double>; ++k) bit[k] = 1ll << k;
    const AnyVec nothing{};
    sum += ((bit & static_cast<long long>(bits)) != 0) ? added : nothing;
#endif
}

// out = base + or - C statistics of the listed rows, V vectors of lanes from `lane` on. A base that is null
// is zero.
template <int C, int V>
inline void masked_sums(const std::uint64_t* masks, int groups, const double* const* values,
                        const RowList& rows, const double* const* base, int lane, double* const* out) {
    Vec<double> sum[C][V];
    for (int c = 0; c < C; ++c)
        for (int v = 0; v < V; ++v) sum[c][v] = Vec<double>{};
    constexpr int kMaskLanes = kLanes<double>;
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(masks);
    for (int k = 0; k < rows.count; ++k) {
        const std::size_t slot = rows.rows[k];
        const unsigned char* own = bytes + slot * static_cast<std::size_t>(groups) * 8;
        unsigned bits[V];
        for (int v = 0; v < V; ++v) {
            const int at_lane = lane + v * kMaskLanes;
            bits[v] = (own[at_lane / 8] >> (at_lane % 8)) & ((1u << kMaskLanes) - 1);
        }
        for (int c = 0; c < C; ++c) {
            const AnyVec value = splat(values[c][slot]);
            for (int v = 0; v < V; ++v) add_masked(sum[c][v], bits[v], value);
        }
    }
    for (int c = 0; c < C; ++c) {
        for (int v = 0; v < V; ++v) {
            const int at_lane = lane + v * kMaskLanes;
            const Vec<double> from = base[c] == nullptr ? Vec<double>{} : *vectors(base[c] + at_lane);
            *vectors(out[c] + at_lane) = rows.minus ? from - sum[c][v] : from + sum[c][v];
        }
    }
}

template <int C>
void masked_row(const std::uint64_t* masks, int groups, const double* const* values, const RowList& rows,
                const double* const* base, int lane, int lanes, double* const* out) {
    constexpr int kBlock = 4;
    for (; lane + kBlock * kLanes<double> <= lanes; lane += kBlock * kLanes<double>)
        masked_sums<C, kBlock>(masks, groups, values, rows, base, lane, out);
    for (; lane + 2 * kLanes<double> <= lanes; lane += 2 * kLanes<double>)
        masked_sums<C, 2>(masks, groups, values, rows, base, lane, out);
    for (; lane < lanes; lane += kLanes<double>)
        masked_sums<C, 1>(masks, groups, values, rows, base, lane, out);
}

// How the sums of a row of a pair table are found with the fewest additions: from the rows that have the
// feature, from all rows less those that lack it, or from the row of the feature before, of which rows are
// added and taken away. Features of one column at several thresholds lie side by side and hold each other:
// with ten of them every row is added once, not 2.7 times (grid at depth 4: 1.7 times as long).
struct RowPlan {
    enum class Base { none, all, previous } base;
    RowList lists[2];  // the second one may be empty
};

// Plans the rows of a table one after the other. `previous` is the column of the feature before, null if its
// row has not all lanes. `indices` has room for all rows and eight more.
class RowPlans {
public:
    RowPlans(const std::uint64_t* filter, int words, std::uint32_t* indices)
        : filter_(filter), words_(words), indices_(indices) {
        for (int w = 0; w < words; ++w) all_ += count_bits(filter[w]);
    }

    RowPlan next(const std::uint64_t* column, const std::uint64_t* previous) {
        const int before = with_;
        with_ = 0;
        for (int w = 0; w < words_; ++w) with_ += count_bits(column[w] & filter_[w]);
        const bool other = all_ - with_ < with_;
        const int rarer = other ? all_ - with_ : with_;
        const int more = with_ - before;
        if (previous != nullptr && (more < 0 ? -more : more) < rarer) {
            int lost = 0;
            for (int w = 0; w < words_; ++w) lost += count_bits(filter_[w] & previous[w] & ~column[w]);
            const int gained = lost + more;
            std::uint32_t* const second = indices_ + gained + 4;
            if (gained + lost < rarer) {
                if (gained > 0) list([&](int w) { return column[w] & ~previous[w]; }, indices_);
                if (lost > 0) list([&](int w) { return previous[w] & ~column[w]; }, second);
                return {RowPlan::Base::previous, {{indices_, gained, false}, {second, lost, true}}};
            }
        }
        const std::uint64_t flip = other ? ~0ull : 0ull;
        list([&](int w) { return column[w] ^ flip; }, indices_);
        return {other ? RowPlan::Base::all : RowPlan::Base::none,
                {{indices_, rarer, other}, {nullptr, 0, false}}};
    }

private:
    template <class Bits>
    void list(Bits&& bits, std::uint32_t* to) const {
        for (int w = 0; w < words_; ++w)
            to += decode(bits(w) & filter_[w], static_cast<std::uint32_t>(w) * 64u, to);
    }

    const std::uint64_t* filter_;
    int words_;
    std::uint32_t* indices_;
    int all_ = 0, with_ = 0;  // rows, and those that have the last feature
};

// table[channel][i][j] for active i and j over the filtered rows, whose sums per feature are `singles`; all
// channels, three at most, are real, and the one numbered `unused` is left out (none if there is no such).
// `indices` has room for all rows. Only HalfRows are filled if `half` is enough.
void native_table(const Frame& frame, const std::uint64_t* masks, const std::uint64_t* filter,
                  const double* singles, double* table, std::uint32_t* indices, bool half, int unused) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    const int groups = (frame.stride + 63) / 64;
    const HalfRows filled(frame);
    int used[3], n_used = 0;
    for (int c = 0; c < frame.n_channels; ++c)
        if (c != unused) used[n_used++] = c;
    RowPlans plans(filter, frame.words, indices);
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a], before = a > 0 ? frame.active[a - 1] : -1;
        const bool follows = before >= 0 && filled.alike(before, i);
        const RowPlan plan = plans.next(column_of(frame, i), follows ? column_of(frame, before) : nullptr);
        const double* values[3] = {};
        const double* base[3] = {};
        double* out[3] = {};
        for (int k = 0; k < n_used; ++k) {
            const std::size_t channel = static_cast<std::size_t>(used[k]);
            values[k] = frame.channels[channel].values;
            out[k] = table + (channel * stride + static_cast<std::size_t>(i)) * stride;
            if (plan.base == RowPlan::Base::all) base[k] = singles + channel * stride;
            if (plan.base == RowPlan::Base::previous)
                base[k] = table + (channel * stride + static_cast<std::size_t>(before)) * stride;
        }
        for (const RowList& rows : plan.lists) {
            if (&rows != plan.lists && rows.count == 0) continue;
            const double* const* from = &rows == plan.lists ? base : out;
            if (n_used == 3)
                masked_row<3>(masks, groups, values, rows, from, filled.begin(i), filled.end(i), out);
            else if (n_used == 2)
                masked_row<2>(masks, groups, values, rows, from, filled.begin(i), filled.end(i), out);
            else if (n_used == 1)
                masked_row<1>(masks, groups, values, rows, from, filled.begin(i), filled.end(i), out);
        }
    }
    for (int c = 0; c < n_used && !half; ++c)
        mirror_rows(frame, filled, table + static_cast<std::size_t>(used[c]) * stride * stride);
}

// The sum of the numbers of all slots whose bit is set in both.
double selected_sum(const std::uint64_t* a, const std::uint64_t* b, int words, const double* values) {
    constexpr int kWidth = kLanes<double>;
    Vec<double> sum{};
    for (int w = 0; w < words; ++w) {
        const std::uint64_t bits = a[w] & b[w];
        if (bits == 0) continue;
        for (int k = 0; k < 64; k += kWidth) {
            const unsigned own = static_cast<unsigned>(bits >> k) & ((1u << kWidth) - 1);
            const AnyVec slots = at(values + 64 * static_cast<std::size_t>(w) + static_cast<std::size_t>(k));
            add_masked(sum, own, slots);
        }
    }
    double all = 0;
    for (int k = 0; k < kWidth; ++k) all += sum[k];
    return all;
}
