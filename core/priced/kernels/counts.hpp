// Two labels, counted rows: pair tables by AND and popcount, and what they say about the children of all
// features at once.

template <class T>
struct Chunk;
template <>
struct Chunk<std::int16_t> {
    using type = std::uint16_t;
};
template <>
struct Chunk<std::int32_t> {
    using type = std::uint32_t;
};

// Set bits of each lane, or of each byte of it: `gather` then adds the bytes of a lane, before they overflow.
#if defined(STREED_BIT_COUNTS)
constexpr int kFlush = 1 << 30;
inline Vec<std::uint16_t> ones(Vec<std::uint16_t> v) {
    return reinterpret_cast<Vec<std::uint16_t>>(_mm512_popcnt_epi16(reinterpret_cast<__m512i>(v)));
}
inline Vec<std::uint32_t> ones(Vec<std::uint32_t> v) {
    return reinterpret_cast<Vec<std::uint32_t>>(_mm512_popcnt_epi32(reinterpret_cast<__m512i>(v)));
}
inline Vec<std::uint16_t> gather(Vec<std::uint16_t> v) { return v; }
inline Vec<std::uint32_t> gather(Vec<std::uint32_t> v) { return v; }
#else
constexpr int kFlush = 31;
inline Bytes byte_ones(Bytes v) {
#if defined(STREED_NIBBLES)
    const Bytes counts = nibble_counts(15 << 4);  // of all bits
    const Bytes upper = reinterpret_cast<Bytes>(reinterpret_cast<Vec<std::uint16_t>>(v) >> 4);
    return look_up(counts, v & 15) + look_up(counts, upper & 15);
#else
    using Words = Vec<std::uint64_t>;
    Words x = reinterpret_cast<Words>(v);
    x = x - ((x >> 1) & 0x5555555555555555ull);
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    return reinterpret_cast<Bytes>((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full);
#endif
}
template <class V>
inline V ones(V v) {
    return reinterpret_cast<V>(byte_ones(reinterpret_cast<Bytes>(v)));
}
inline Vec<std::uint16_t> gather(Vec<std::uint16_t> v) { return (v & 0xff) + (v >> 8); }
inline Vec<std::uint32_t> gather(Vec<std::uint32_t> v) {
    v = (v & 0xff00ff) + ((v >> 8) & 0xff00ff);
    return (v & 0xffff) + (v >> 16);
}
#endif

constexpr int kTogether = 8;  // rows of a tile that share a load: 8 x 1 vector of accumulators

// Chunks of as many rows as a lane has bits, [chunk][stride]; and each lane as 32 bits, which are broadcast
// from memory without a shuffle. Returns the chunks of each label.
template <class U>
void make_chunks(const CountFrame& frame, int (&n_chunks)[2], U*& chunks, std::uint32_t*& spread) {
    constexpr int kBits = 8 * sizeof(U), kParts = 64 / kBits;
    int words = 0;
    for (int c = 0; c < 2; ++c) {
        n_chunks[c] = (frame.n[c] + kBits - 1) / kBits;
        words += (frame.n[c] + 63) / 64;
    }
    chunks = static_cast<U*>(frame.chunks);
    spread = reinterpret_cast<std::uint32_t*>(chunks + static_cast<long>(words) * kParts * frame.stride);
    U* to = chunks;
    std::uint32_t* wide = spread;
    const std::uint64_t* block = frame.bits;
    for (int c = 0; c < 2; ++c) {
        for (int k = 0; k < n_chunks[c]; ++k, to += frame.stride, wide += frame.stride) {
            const std::uint64_t* from = block + static_cast<long>(k / kParts) * frame.stride;
            const int shift = kBits * (k % kParts);
            for (int f = 0; f < frame.stride; ++f) to[f] = static_cast<U>(from[f] >> shift);
            for (int f = 0; f < frame.stride; ++f) wide[f] = sizeof(U) == 2 ? to[f] * 0x10001u : to[f];
        }
        block += static_cast<long>((frame.n[c] + 63) / 64) * frame.stride;
    }
}

template <class U>
inline void count_rows(const U* column, const std::uint32_t* row, int n_chunks, int stride,
                       Vec<U> (&out)[kTogether]) {
    for (int r = 0; r < kTogether; ++r) out[r] = Vec<U>{};
    for (int done = 0; done < n_chunks;) {
        const int until = n_chunks - done > kFlush ? done + kFlush : n_chunks;
        Vec<U> sum[kTogether] = {};
        for (; done < until; ++done, column += stride, row += stride) {
            const Vec<U> bits = load(column);
#pragma GCC unroll 8
            for (int r = 0; r < kTogether; ++r)
                sum[r] += ones(bits & reinterpret_cast<Vec<U>>(splat<std::uint32_t>(row[r])));
        }
#pragma GCC unroll 8
        for (int r = 0; r < kTogether; ++r) out[r] += gather(sum[r]);
    }
}

template <class T>
void count_pairs(const CountFrame& frame, T* difference, T* total) {
    using U = typename Chunk<T>::type;
    const int stride = frame.stride, blocks = stride / kBlock;
    int n_chunks[2];
    U* chunks;
    std::uint32_t* spread;
    make_chunks(frame, n_chunks, chunks, spread);
    const long second = static_cast<long>(n_chunks[0]) * stride;
    for (int bj = 0; bj < blocks; ++bj)
        for (int bi = 0; bi <= bj; ++bi) {
            const int rows = frame.n_features - bi * kBlock < kBlock ? frame.n_features - bi * kBlock
                                                                     : kBlock;
            for (int i = bi * kBlock; i < bi * kBlock + rows; i += kTogether)
                for (int j = bj * kBlock; j < (bj + 1) * kBlock; j += kLanes<T>) {
                    Vec<U> a[kTogether], b[kTogether];
                    count_rows(chunks + j, spread + i, n_chunks[0], stride, a);
                    count_rows(chunks + second + j, spread + second + i, n_chunks[1], stride, b);
                    for (int r = 0; r < kTogether; ++r) {
                        const long at = static_cast<long>(i + r) * stride + j;
                        store(difference + at, reinterpret_cast<Vec<T>>(a[r] - b[r]));
                        store(total + at, reinterpret_cast<Vec<T>>(a[r] + b[r]));
                    }
                }
            if (bi == bj) continue;
            mirror_tile(difference, stride, bi, bj);
            mirror_tile(total, stride, bi, bj);
        }
}

template <class T>
inline Vec<T> magnitude(Vec<T> v) {
    return larger(v, -v);
}

// With d = first label - second label per cell, a leaf has (rows - |d|) / 2 errors, and |x| + |c - x| =
// max(|c|, |2x - c|): the extremes of a column are enough for the best split of a child. Two splits leave one
// cell of the first one whole: at least one of its errors is made. Lanes are the features of the node, the
// loop runs over the splits of their children.
template <class T>
void count_children(const CountFrame& frame, const T* difference, const T* total, T support, bool peel,
                    T* const best[2], T* const cell[2]) {
    const int stride = frame.stride, n = frame.n_features;
    const Vec<T> all = splat<T>(static_cast<T>(frame.n[0] + frame.n[1])),
                 d_all = splat<T>(static_cast<T>(frame.n[0] - frame.n[1]));
    const Vec<T> enough = splat<T>(static_cast<T>(2 * support));
    for (int lane = 0; lane < n; lane += kLanes<T>) {
        T own_d[kLanes<T>], own_n[kLanes<T>];
        for (int l = 0; l < kLanes<T>; ++l) {
            const long at = lane + l < n ? static_cast<long>(lane + l) * stride + lane + l : 0;
            own_d[l] = difference[at];
            own_n[l] = total[at];
        }
        Vec<T> d1, n1;
        __builtin_memcpy(&d1, own_d, sizeof d1);
        __builtin_memcpy(&n1, own_n, sizeof n1);
        const Vec<T> d0 = d_all - d1, n0 = all - n1;
        Vec<T> most1 = splat<T>(-Limit<T>::most), least1 = splat<T>(Limit<T>::most), most0 = most1,
               least0 = least1;
        Vec<T> cell1 = least1, cell0 = least1;
        const auto peeled = [&](Vec<T> x, Vec<T> rows, Vec<T> y, Vec<T> other_rows, Vec<T>& least) {
            const Vec<T> a = magnitude<T>(x), b = magnitude<T>(y);
            const Vec<T> error = smaller(smaller(rows - a, other_rows - b), least);
            least = ((rows + a >= enough) & (other_rows + b >= enough)) ? error : least;
        };
        for (int j = 0; j < n; ++j) {
            const long at = static_cast<long>(j) * stride;
            const Vec<T> x = load(difference + at + lane), z = splat<T>(difference[at + j]) - x;
            most1 = larger(most1, x);
            least1 = smaller(least1, x);
            most0 = larger(most0, z);
            least0 = smaller(least0, z);
            if (!peel) continue;
            const Vec<T> rows1 = load(total + at + lane), rows0 = splat<T>(total[at + j]) - rows1;
            peeled(x, rows1, d1 - x, n1 - rows1, cell1);
            peeled(z, rows0, d0 - z, n0 - rows0, cell0);
        }
        const auto extreme = [](Vec<T> most, Vec<T> least, Vec<T> c) {
            return larger(magnitude<T>(c), larger(most - (c - most), (c - least) - least));
        };
        store(best[1] + lane, extreme(most1, least1, d1));
        store(best[0] + lane, extreme(most0, least0, d0));
        store(cell[1] + lane, cell1);
        store(cell[0] + lane, cell0);
    }
}
