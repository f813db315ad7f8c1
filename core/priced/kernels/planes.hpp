// Rows with small whole values: pair tables by AND and popcount of the bits of the values. A row of an
// unweighted problem with any number of labels has two set bits, that of its weight and that of its own
// label, where masked adds (sums.hpp) cost an add per label.

// Words as chunks of 32 rows, [chunk][stride].
inline void split_words(const std::uint64_t* from, int n_chunks, int stride, std::uint32_t* to) {
    for (int k = 0; k < n_chunks; ++k, to += stride) {
        const std::uint64_t* word = from + static_cast<long>(k / 2) * stride;
        const int shift = 32 * (k % 2);
        for (int f = 0; f < stride; ++f) to[f] = static_cast<std::uint32_t>(word[f] >> shift);
    }
}

// A vector of second features and eight first ones; the sums of a value, least bit first.
inline void sum_value(const PlaneFrame& frame, const std::uint32_t* const* chunks, int first, int last, int i,
                      int j, Vec<std::uint32_t> (&sum)[kTogether]) {
    for (int r = 0; r < kTogether; ++r) sum[r] = Vec<std::uint32_t>{};
    for (int p = first; p < last; ++p) {
        Vec<std::uint32_t> count[kTogether];
        count_rows(chunks[p] + j, chunks[p] + i, (frame.planes[p].n + 31) / 32, frame.stride, count);
        for (int r = 0; r < kTogether; ++r) sum[r] += count[r] << frame.planes[p].shift;
    }
}

void sum_planes(const PlaneFrame& frame, std::int32_t* sums) {
    const int stride = frame.stride, blocks = stride / kBlock, m = frame.n_values,
              n_planes = frame.end[m - 1];
    const long plane = static_cast<long>(stride) * stride;
    auto** const chunks = static_cast<const std::uint32_t**>(frame.chunks);
    auto* to = reinterpret_cast<std::uint32_t*>(chunks + (n_planes + 15) / 16 * 16);
    const std::uint64_t* from = frame.bits;
    for (int p = 0; p < n_planes; ++p) {
        const int n_chunks = (frame.planes[p].n + 31) / 32;
        chunks[p] = to;
        split_words(from, n_chunks, stride, to);
        to += static_cast<long>(n_chunks) * stride;
        from += static_cast<long>((frame.planes[p].n + 63) / 64) * stride;
    }
    for (int bj = 0; bj < blocks; ++bj)
        for (int bi = 0; bi <= bj; ++bi) {
            const int rows = frame.n_features - bi * kBlock < kBlock ? frame.n_features - bi * kBlock
                                                                     : kBlock;
            for (int i = bi * kBlock; i < bi * kBlock + rows; i += kTogether)
                for (int j = bj * kBlock; j < (bj + 1) * kBlock; j += kLanes<std::int32_t>) {
                    std::int32_t* out = sums + static_cast<long>(i) * stride + j;
                    Vec<std::uint32_t> weight[kTogether], gain[kTogether];
                    sum_value(frame, chunks, 0, frame.end[0], i, j, weight);
                    for (int r = 0; r < kTogether; ++r)
                        store(out + (m - 1) * plane + static_cast<long>(r) * stride,
                              reinterpret_cast<Vec<std::int32_t>>(weight[r]));
                    for (int v = 0; v + 1 < m; ++v, out += plane) {
                        sum_value(frame, chunks, frame.end[v], frame.end[v + 1], i, j, gain);
                        for (int r = 0; r < kTogether; ++r)
                            store(out + static_cast<long>(r) * stride,
                                  reinterpret_cast<Vec<std::int32_t>>(weight[r] - gain[r]));
                    }
                }
            for (int v = 0; v < m && bi != bj; ++v) mirror_tile(sums + v * plane, stride, bi, bj);
        }
}
