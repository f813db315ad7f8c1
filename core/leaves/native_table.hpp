// Pair tables of real statistics. Part of kernels_impl.hpp.
//
// A row is a mask of its features and a few numbers. For feature i the rows that have it are walked through
// once per block of lanes, and every statistic is added under the mask into registers, from the block of the
// diagonal on; the rest is mirrored. The other way (kernels_sums.hpp) adds row vectors from memory, eight
// bytes per row, lane and statistic instead of one bit per row and lane: on 713 rows with 66 features and
// three statistics it takes four times as long.

inline int native_lanes(const Frame& frame) {
    int last = 0;
    for (int a = 0; a < frame.n_active; ++a) last = frame.active[a] > last ? frame.active[a] : last;
    return (last / kLanes<double> + 1) * kLanes<double>;
}

inline void turn_block(std::uint64_t* block) {
    std::uint64_t mask = 0x00000000ffffffffull;
    for (int width = 32; width != 0; width >>= 1, mask ^= mask << width) {
        for (int k = 0; k < 64; k = (k + width + 1) & ~width) {
            const std::uint64_t swap = ((block[k] >> width) ^ block[k + width]) & mask;
            block[k] ^= swap << width;
            block[k + width] ^= swap;
        }
    }
}

// out[slot][stride / 64] = the active features of every slot, one bit each; strides are multiples of 64 lanes
// or less than that.
void row_masks(const Frame& frame, std::uint64_t* out) {
    const int groups = (frame.stride + 63) / 64;
    std::uint64_t block[64];
    for (int w = 0; w < frame.words; ++w) {
        for (int g = 0; g < groups; ++g) {
            for (int k = 0; k < 64; ++k) block[k] = 0;
            for (int a = 0; a < frame.n_active; ++a) {
                const int i = frame.active[a];
                if (i / 64 == g)
                    block[i % 64] =
                        frame.columns[static_cast<std::size_t>(i) * static_cast<std::size_t>(frame.words) +
                                      static_cast<std::size_t>(w)];
            }
            turn_block(block);
            for (int k = 0; k < 64; ++k)
                out[(static_cast<std::size_t>(w) * 64 + static_cast<std::size_t>(k)) *
                        static_cast<std::size_t>(groups) +
                    static_cast<std::size_t>(g)] = block[k];
        }
    }
}

// sum += value in the lanes whose bit is set, the lowest bit first.
inline void add_masked(Vec<double>& sum, unsigned bits, double value) {
#if STREED_VECTOR_BYTES == 64
    sum = _mm512_mask_add_pd(sum, static_cast<__mmask8>(bits), sum, _mm512_set1_pd(value));
#else
    typedef long long Lanes __attribute__((vector_size(kVectorBytes)));
    Lanes bit{};
    for (int k = 0; k < kLanes<double>; ++k) bit[k] = 1ll << k;
    const Vec<double> added = splat(value);
    const Vec<double> nothing{};
    sum += ((bit & static_cast<long long>(bits)) != 0) ? added : nothing;
#endif
}

// C statistics of the listed rows, V vectors of lanes from `lane` on.
template <int C, int V>
inline void masked_sums(const std::uint64_t* masks, int groups, const double* const* values,
                        const std::uint32_t* rows, int count, int lane, double* const* out) {
    Vec<double> sum[C][V];
    for (int c = 0; c < C; ++c)
        for (int v = 0; v < V; ++v) sum[c][v] = Vec<double>{};
    constexpr int kMaskLanes = kLanes<double>;
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(masks);
    for (int k = 0; k < count; ++k) {
        const std::size_t slot = rows[k];
        const unsigned char* own = bytes + slot * static_cast<std::size_t>(groups) * 8;
        unsigned bits[V];
        for (int v = 0; v < V; ++v) {
            const int at_lane = lane + v * kMaskLanes;
            bits[v] = (own[at_lane / 8] >> (at_lane % 8)) & ((1u << kMaskLanes) - 1);
        }
        for (int c = 0; c < C; ++c) {
            const double value = values[c][slot];
            for (int v = 0; v < V; ++v) add_masked(sum[c][v], bits[v], value);
        }
    }
    for (int c = 0; c < C; ++c)
        for (int v = 0; v < V; ++v) *vectors(out[c] + lane + v * kMaskLanes) = sum[c][v];
}

template <int C>
void masked_row(const std::uint64_t* masks, int groups, const double* const* values,
                const std::uint32_t* rows, int count, int lane, int lanes, double* const* out) {
    constexpr int kBlock = 4;
    for (; lane + kBlock * kLanes<double> <= lanes; lane += kBlock * kLanes<double>)
        masked_sums<C, kBlock>(masks, groups, values, rows, count, lane, out);
    for (; lane + 2 * kLanes<double> <= lanes; lane += 2 * kLanes<double>)
        masked_sums<C, 2>(masks, groups, values, rows, count, lane, out);
    for (; lane < lanes; lane += kLanes<double>)
        masked_sums<C, 1>(masks, groups, values, rows, count, lane, out);
}

// table[channel][i][j] for active i and j over the filtered rows, whose sums per feature are `singles`; all
// channels are real. Of each feature the rarer side is added up. `indices` has room for all rows. Only the
// half with i <= j is filled if `half` is enough.
void native_table(const Frame& frame, const std::uint64_t* masks, const std::uint64_t* filter,
                  const double* singles, double* table, std::uint32_t* indices, bool half) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    const int groups = (frame.stride + 63) / 64, lanes = native_lanes(frame);
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        const std::uint64_t* column = frame.columns +
                                      static_cast<std::size_t>(i) * static_cast<std::size_t>(frame.words);
        int with = 0, without = 0, count = 0;
        for (int w = 0; w < frame.words; ++w) {
            with += count_bits(column[w] & filter[w]);
            without += count_bits(~column[w] & filter[w]);
        }
        const bool other = without < with;
        const std::uint64_t flip = other ? ~0ull : 0ull;
        for (int w = 0; w < frame.words; ++w)
            count += decode((column[w] ^ flip) & filter[w], static_cast<std::uint32_t>(w) * 64u,
                            indices + count);
        const int first = i / kLanes<double> * kLanes<double>;
        for (int c = 0; c < frame.n_channels; c += 3) {
            const double* values[3];
            double* out[3];
            const int many = frame.n_channels - c < 3 ? frame.n_channels - c : 3;
            for (int k = 0; k < many; ++k) {
                values[k] = frame.channels[c + k].values;
                out[k] = table +
                         (static_cast<std::size_t>(c + k) * stride + static_cast<std::size_t>(i)) * stride;
            }
            if (many == 3)
                masked_row<3>(masks, groups, values, indices, count, first, lanes, out);
            else if (many == 2)
                masked_row<2>(masks, groups, values, indices, count, first, lanes, out);
            else
                masked_row<1>(masks, groups, values, indices, count, first, lanes, out);
            for (int k = 0; k < many && other; ++k) {
                const double* all = singles + static_cast<std::size_t>(c + k) * stride;
                for (int j = first; j < lanes; ++j) out[k][j] = all[j] - out[k][j];
            }
        }
    }
    for (int c = 0; c < frame.n_channels && !half; ++c) {
        double* channel = table + static_cast<std::size_t>(c) * stride * stride;
        for (int a = 0; a < frame.n_active; ++a) {
            const std::size_t i = static_cast<std::size_t>(frame.active[a]);
            for (int b = a + 1; b < frame.n_active; ++b) {
                const std::size_t j = static_cast<std::size_t>(frame.active[b]);
                channel[j * stride + i] = channel[i * stride + j];
            }
        }
    }
}
