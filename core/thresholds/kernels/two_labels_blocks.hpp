// Two labels whose rows count one, in bytes: twice as many lanes as with 16 bits for the same work (AVX-512).
// Included by kernels/body.hpp, after two_labels.hpp.
//
// The order of a column is walked in blocks of at most 127 rows, so that the sums of a block fit into bytes
// whatever the size of the node. After a block its extremes are added to the sums before it, in 16 bits (32
// in wide nodes): 24 vector operations for about a thousand. A block ends where a group of equal values ends:
// the sums before it then are those of a threshold, and the extremes of a block can begin with zero. A group
// of more than 127 rows is added up alone.
//
// With 64 lanes a search over eight to 25 columns takes .57 to .70 of the walks (htru, rice, avila, eeg,
// magic).

#if STREED_VECTOR_BYTES == 64

using ByteWord = Word<kWalkLanes<std::int8_t>>;
constexpr int kBlockRows = 127;

template <class W>
struct WideSums {
    static constexpr int kParts = kWalkLanes<std::int8_t> / kLanes<W>;
    typedef std::int8_t Part __attribute__((vector_size(kLanes<W>)));

    Vec<W> sum[2][kParts];
    Vec<W> most[2][kParts];
    Vec<W> least[2][kParts];

    static inline __attribute__((always_inline)) Vec<W> part(const Vec<std::int8_t>* vectors, int k) {
        Part bytes;
        __builtin_memcpy(&bytes, reinterpret_cast<const char*>(vectors) + k * kLanes<W>, sizeof bytes);
        return __builtin_convertvector(bytes, Vec<W>);
    }
    inline void add(const TwoSides<std::int8_t>& block) {
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < kParts; ++k) {
                Vec<W>& known = sum[side][k];
                most[side][k] = larger(most[side][k], known + part(block.most[side], k));
                least[side][k] = smaller(least[side][k], known + part(block.least[side], k));
                known += part(block.sum[side], k);
            }
    }
    inline void add_sums(const TwoSides<std::int8_t>& block) {
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < kParts; ++k) sum[side][k] += part(block.sum[side], k);
    }
    inline void look() {
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < kParts; ++k) {
                most[side][k] = larger(most[side][k], sum[side][k]);
                least[side][k] = smaller(least[side][k], sum[side][k]);
            }
    }
};

// How a block is walked: a group that is longer than a block is only added up.
enum class Block { added, distinct, ties };

// The sums of a block and their extremes. A function of its own, so that all sums stay in registers.
template <class Entry, Block Kind>
__attribute__((noinline)) void walk_block(const Entry* order, int n_rows, std::uint32_t first,
                                          const ByteWord* words, TwoSides<std::int8_t>& out) {
    using T = std::int8_t;
    const Vec<T> signs[2] = {splat<T>(T(-1)), splat<T>(T(1))};
    TwoSides<T> t{};
    for (int p = 0; p < n_rows; ++p) {
        const std::uint32_t row = row_of(order[p]);
        t.add(words[row], signs[row >= first]);
        if constexpr (Kind == Block::distinct) t.look();
        if constexpr (Kind == Block::ties) t.look_if((order[p] & kEnd<Entry>) != 0);
    }
    out = t;
}

// Where sums can be extreme at some positions only, all rows are counted first, and the counts at these
// positions are stored: a branch at each of them is mispredicted, which took longer than the counting. With
// `turned` words, which are those of the other side for rows of label 0, one count serves both sides: with
// n0 and n1 rows of the labels so far, and a count of c, the sums are c - n0 below and n1 - c above.
template <class Entry>
__attribute__((noinline)) void walk_turns(const Entry* order, int n_rows, std::uint32_t first,
                                          const ByteWord* turned, TwoSides<std::int8_t>& out) {
    using T = std::int8_t;
    constexpr int B = kBlock<T>;
    const Vec<T> one = splat<T>(T(1));
    Vec<T> counts[(kBlockRows + 1) * B];
    std::uint8_t zeros[kBlockRows + 1], rows[kBlockRows + 1];
    Vec<T> count[B]{};
    std::size_t n_turns = 0;
    unsigned zero = 0;
    for (int p = 0; p < n_rows; ++p) {
        const Entry entry = order[p];
        const std::uint32_t row = row_of(entry);
        zero += row < first;
        for (int b = 0; b < B; ++b) {
            count[b] = add_where(count[b], lanes_of<T>(turned[row], b), one);
            counts[n_turns * B + static_cast<std::size_t>(b)] = count[b];
        }
        zeros[n_turns] = static_cast<std::uint8_t>(zero);
        rows[n_turns] = static_cast<std::uint8_t>(p + 1);
        n_turns += (entry & kTurn<Entry>) != 0;
    }
    const auto set = [&](TwoSides<T>& t, const Vec<T>* all, unsigned n_zero, unsigned n) {
        const Vec<T> zero_rows = splat<T>(static_cast<T>(n_zero)),
                     one_rows = splat<T>(static_cast<T>(n - n_zero));
        for (int b = 0; b < B; ++b) {
            t.sum[0][b] = all[b] - zero_rows;
            t.sum[1][b] = one_rows - all[b];
        }
    };
    TwoSides<T> t{};
    for (std::size_t k = 0; k < n_turns; ++k) {
        set(t, counts + k * B, zeros[k], rows[k]);
        t.look();
    }
    set(t, count, zero, static_cast<unsigned>(n_rows));
    out = t;
}

template <class Entry>
void two_labels_in_blocks(const NodeView& node, const ByteWord* words, Sides& out) {
    using T = std::int8_t;
    using W = typename Half<Entry>::type;
    constexpr int kRows = kBlockRows;
    const ByteWord* turned = words + node.stride;
    const std::uint32_t first = static_cast<std::uint32_t>(node.n_first);
    WideSums<W> s{};
    TwoSides<T> block;
    Vec<W> total[2][WideSums<W>::kParts]{};
    bool walked = false;
    for (int j = 0; j < node.n_columns; ++j) {
        if (node.groups[j] < 2) continue;
        const Entry* order = static_cast<const Entry*>(node.order) +
                             static_cast<std::size_t>(j) * static_cast<std::size_t>(node.stride);
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < WideSums<W>::kParts; ++k) s.sum[side][k] = Vec<W>{};
        for (int p = 0; p < node.n_rows;) {
            const int most = node.n_rows - p < kRows ? node.n_rows : p + kRows;
            int end = most;
            while (end > p && (order[end - 1] & kEnd<Entry>) == 0) --end;
            if (end > p) {
                if (node.walk[j] == Walk::turns)
                    walk_turns(order + p, end - p, first, turned, block);
                else if (node.walk[j] == Walk::ties)
                    walk_block<Entry, Block::ties>(order + p, end - p, first, words, block);
                else
                    walk_block<Entry, Block::distinct>(order + p, end - p, first, words, block);
                s.add(block);
                p = end;
                continue;
            }
            for (end = most; (order[end - 1] & kEnd<Entry>) == 0;) ++end;
            for (int stop; p < end; p = stop) {
                stop = end - p < kRows ? end : p + kRows;
                walk_block<Entry, Block::added>(order + p, stop - p, first, words, block);
                s.add_sums(block);
            }
            s.look();
        }
        if (walked) continue;
        walked = true;
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < WideSums<W>::kParts; ++k) total[side][k] = s.sum[side][k];
    }
    for (int side = 0; side < 2; ++side)
        for (int l = 0; l < kWalkLanes<T>; ++l) {
            const int part = l / kLanes<W>, k = l % kLanes<W>;
            const std::int64_t all = lane<W>(total[side][part], k);
            const std::int64_t high = 2 * lane<W>(s.most[side][part], k) - all,
                               low = all - 2 * lane<W>(s.least[side][part], k);
            out.leaf[side][l] = all < 0 ? -all : all;
            out.stump[side][l] = high > low ? high : low;
        }
}

#endif

void two_labels(const NodeView& node, Width width, const void* words, Sides& out) {
    switch (width) {
        case Width::i8:
            return two_labels_for<std::int8_t>(node, words, out);
        case Width::i16:
            return two_labels_for<std::int16_t>(node, words, out);
        case Width::i32:
            return two_labels_for<std::int32_t>(node, words, out);
        case Width::f64:
            return two_labels_for<double>(node, words, out);
        case Width::blocks:
#if STREED_VECTOR_BYTES == 64
            if (node.wide)
                return two_labels_in_blocks<std::uint64_t>(node, static_cast<const ByteWord*>(words), out);
            return two_labels_in_blocks<std::uint32_t>(node, static_cast<const ByteWord*>(words), out);
#else
            return;  // not served
#endif
    }
}
