// Pair tables of weighted rows. Row r of a matrix holds, in lane j, the row's statistic if it has feature j,
// else zero; the vectors of the rows that have feature i add up to table[i]. Only the rarer side of each
// feature is added up, the other one follows from the single sums, so the work shrinks with the density of
// the data. Sum of row vectors in registers, `Group` vectors of lanes at a time.
template <class T, int Group>
inline void sum_group(const T* matrix, int stride, const std::uint32_t* rows, int count, T* out) {
    Vec<T> sum[Group];
    for (int g = 0; g < Group; ++g) sum[g] = Vec<T>{};
    for (int k = 0; k < count; ++k) {
        const Vec<T>* row = vectors(matrix +
                                    static_cast<std::size_t>(rows[k]) * static_cast<std::size_t>(stride));
        for (int g = 0; g < Group; ++g) sum[g] += row[g];
    }
    for (int g = 0; g < Group; ++g) vectors(out)[g] = sum[g];
}

template <class T>
inline void sum_rows(const T* matrix, int stride, const std::uint32_t* rows, int count, T* out) {
    int lane = 0;
    while (lane < stride) {
        const int left = (stride - lane) / kLanes<T>;
        const T* m = matrix + lane;
        T* o = out + lane;
        switch (left) {
            case 1:
                sum_group<T, 1>(m, stride, rows, count, o);
                lane += kLanes<T>;
                break;
            case 2:
                sum_group<T, 2>(m, stride, rows, count, o);
                lane += 2 * kLanes<T>;
                break;
            case 3:
                sum_group<T, 3>(m, stride, rows, count, o);
                lane += 3 * kLanes<T>;
                break;
            case 4:
                sum_group<T, 4>(m, stride, rows, count, o);
                lane += 4 * kLanes<T>;
                break;
            case 5:
                sum_group<T, 5>(m, stride, rows, count, o);
                lane += 5 * kLanes<T>;
                break;
            case 6:
                sum_group<T, 6>(m, stride, rows, count, o);
                lane += 6 * kLanes<T>;
                break;
            case 7:
                sum_group<T, 7>(m, stride, rows, count, o);
                lane += 7 * kLanes<T>;
                break;
            default:
                sum_group<T, 8>(m, stride, rows, count, o);
                lane += 8 * kLanes<T>;
                break;
        }
    }
}

// Adds the row vectors of the decoded slots to `out`, in the storage type as long as it cannot overflow.
template <class S, class T>
struct Adder {
    static void add(const S* matrix, int stride, const std::uint32_t* rows, int count, int chunk, T* out,
                    S* part) {
        for (int begin = 0; begin < count; begin += chunk) {
            const int size = count - begin < chunk ? count - begin : chunk;
            sum_rows(matrix, stride, rows + begin, size, part);
            for (int j = 0; j < stride; ++j) out[j] = static_cast<T>(out[j] + static_cast<T>(part[j]));
        }
    }
};
template <class T>
struct Adder<T, T> {
    static void add(const T* matrix, int stride, const std::uint32_t* rows, int count, int, T* out, T* part) {
        sum_rows(matrix, stride, rows, count, part);
        for (int v = 0; v < stride / kLanes<T>; ++v) vectors(out)[v] += vectors(part)[v];
    }
};

// Adds the vectors of the given rows to the table rows of all features that the row lists: lanes [begin,
// begin + Group vectors) of every row at a time, the row's own vectors staying in registers.
template <class T, int Group>
inline void scatter_group(const Frame& frame, const T* matrix, const std::uint32_t* rows, int count,
                          T* table) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    for (int k = 0; k < count; ++k) {
        const std::uint32_t slot = rows[k];
        const Vec<T>* row = vectors(matrix + slot * stride);
        Vec<T> part[Group];
        for (int g = 0; g < Group; ++g) part[g] = row[g];
        const std::uint32_t* lane = frame.row_lanes + frame.row_begin[slot];
        const std::uint32_t* last = frame.row_lanes + frame.row_begin[slot + 1];
        for (; lane != last; ++lane) {
            Vec<T>* out = vectors(table + *lane * stride);
            for (int g = 0; g < Group; ++g) out[g] += part[g];
        }
    }
}

template <class T>
void scatter(const Frame& frame, const T* matrix, const std::uint32_t* rows, int count, T* table) {
    for (int lane = 0; lane < frame.stride;) {
        switch ((frame.stride - lane) / kLanes<T>) {
            case 1:
                scatter_group<T, 1>(frame, matrix + lane, rows, count, table + lane);
                lane += kLanes<T>;
                break;
            case 2:
                scatter_group<T, 2>(frame, matrix + lane, rows, count, table + lane);
                lane += 2 * kLanes<T>;
                break;
            case 3:
                scatter_group<T, 3>(frame, matrix + lane, rows, count, table + lane);
                lane += 3 * kLanes<T>;
                break;
            case 5:
                scatter_group<T, 5>(frame, matrix + lane, rows, count, table + lane);
                lane += 5 * kLanes<T>;
                break;
            case 6:
                scatter_group<T, 6>(frame, matrix + lane, rows, count, table + lane);
                lane += 6 * kLanes<T>;
                break;
            case 7:
                scatter_group<T, 7>(frame, matrix + lane, rows, count, table + lane);
                lane += 7 * kLanes<T>;
                break;
            default:
                scatter_group<T, 4>(frame, matrix + lane, rows, count, table + lane);
                lane += 4 * kLanes<T>;
                break;
        }
    }
}

// Numbers as wide as the lanes: feature by feature, the vectors of its rows are added up in registers, for
// the lanes from the diagonal on; the rest is mirrored. The rows are taken in portions that stay in the cache
// for all features.
template <class T>
void gather_table(const Frame& frame, const Channel& channel, const std::uint64_t* filter, const T* singles,
                  T* table, const Scratch& scratch) {
    constexpr int kVectors = kVectorBytes /
                             kLanes<T>;  // of kVectorBytes lanes, which strides are multiples of
    constexpr int kWords = 4;
    const int stride = frame.stride;
    const std::size_t size = static_cast<std::size_t>(stride);
    const T* matrix = static_cast<const T*>(channel.matrix);
    std::uint32_t* rows = scratch.indices;
    clear_half(frame, table);
    for (int word = channel.word_begin; word < channel.word_end; word += kWords) {
        if (scratch.checkpoint != nullptr) scratch.checkpoint(scratch.context);
        const int end = word + kWords < channel.word_end ? word + kWords : channel.word_end;
        for (int a = 0; a < frame.n_active; ++a) {
            const int i = frame.active[a];
            const std::uint64_t* column = frame.columns +
                                          static_cast<std::size_t>(i) * static_cast<std::size_t>(frame.words);
            const std::uint64_t flip = frame.listed_without[i] ? ~0ull : 0ull;
            int count = 0;
            for (int w = word; w < end; ++w)
                count += decode((column[w] ^ flip) & filter[w], static_cast<std::uint32_t>(w) * 64u,
                                rows + count);
            if (count == 0) continue;
            T* out = table + static_cast<std::size_t>(i) * size;
            for (int lane = first_lane(i); lane < stride; lane += kVectorBytes) {
                Vec<T> sum[kVectors];
                for (int v = 0; v < kVectors; ++v) sum[v] = vectors(out + lane)[v];
                for (int k = 0; k < count; ++k) {
                    const Vec<T>* row = vectors(matrix + rows[k] * size + static_cast<std::size_t>(lane));
                    for (int v = 0; v < kVectors; ++v) sum[v] += row[v];
                }
                for (int v = 0; v < kVectors; ++v) vectors(out + lane)[v] = sum[v];
            }
        }
    }
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        if (!frame.listed_without[i]) continue;
        T* row = table + static_cast<std::size_t>(i) * size;
        for (int j = first_lane(i); j < stride; ++j) row[j] = singles[j] - row[j];
    }
    mirror(frame, table);
}

// Pair tables of many rows, by the method of the four Russians: of four rows all sixteen sums are formed
// once, and every feature adds the one of its own four bits. A quarter of a block of lanes at a time, so that
// sums and accumulators stay in the nearest cache and in registers.
template <class T>
void four_row_table(const Frame& frame, const Channel& channel, const std::uint64_t* filter, T* table,
                    const Scratch& scratch) {
    constexpr int kVectors = 4;
    constexpr int kBlock = kVectors * kLanes<T>;
    constexpr int kGroups = 8;
    alignas(kVectorBytes) T sums[kGroups][16][kBlock];
    alignas(kVectorBytes) static constexpr T zeros[kBlock] = {};
    const int stride = frame.stride;
    const std::size_t size = static_cast<std::size_t>(stride);
    const T* matrix = static_cast<const T*>(channel.matrix);
    std::uint32_t* rows = scratch.indices;
    clear_half(frame, table);
    for (int word = channel.word_begin; word < channel.word_end; word += kIndexWords) {
        const int end = word + kIndexWords < channel.word_end ? word + kIndexWords : channel.word_end;
        int count = 0;
        for (int w = word; w < end; ++w)
            count += decode(filter[w], static_cast<std::uint32_t>(w) * 64u, rows + count);
        if (count == 0) continue;
        const std::size_t packed_words = static_cast<std::size_t>(end - word) + 1;
        for (int a = 0; a < frame.n_active; ++a) {
            const std::uint64_t* column = frame.columns + static_cast<std::size_t>(frame.active[a]) *
                                                              static_cast<std::size_t>(frame.words);
            compress(column + word, filter + word, end - word,
                     scratch.bits + static_cast<std::size_t>(a) * packed_words);
        }
        for (int lane = 0; lane < stride; lane += kBlock) {
            int n_roots = 0;
            while (n_roots < frame.n_active && first_lane(frame.active[n_roots]) <= lane) ++n_roots;
            for (int begin = 0; begin < count; begin += 4 * kGroups) {
                if (scratch.checkpoint != nullptr && begin % 4096 == 0) scratch.checkpoint(scratch.context);
                const int groups = (count - begin + 3) / 4 < kGroups ? (count - begin + 3) / 4 : kGroups;
                for (int g = 0; g < groups; ++g) {
                    const Vec<T>* four[4];
                    for (int k = 0; k < 4; ++k) {
                        const int at_row = begin + 4 * g + k;
                        four[k] = vectors(at_row < count
                                              ? matrix + rows[at_row] * size + static_cast<std::size_t>(lane)
                                              : zeros);
                    }
                    for (int v = 0; v < kVectors; ++v) {
                        vectors(sums[g][0])[v] = Vec<T>{};
                        for (int k = 0; k < 4; ++k)
                            for (int p = 0; p < 1 << k; ++p)
                                vectors(sums[g][(1 << k) + p])[v] = vectors(sums[g][p])[v] + four[k][v];
                    }
                }
                const std::uint64_t* packed = scratch.bits + begin / 64;
                const int shift = begin % 64;
                for (int a = 0; a < n_roots; ++a, packed += packed_words) {
                    std::uint32_t bits = static_cast<std::uint32_t>(*packed >> shift);
                    T* out = table + static_cast<std::size_t>(frame.active[a]) * size +
                             static_cast<std::size_t>(lane);
                    Vec<T> sum[kVectors];
                    for (int v = 0; v < kVectors; ++v) sum[v] = vectors(out)[v];
                    for (int g = 0; g < groups; ++g, bits >>= 4) {
                        const Vec<T>* own = vectors(sums[g][bits & 15]);
                        for (int v = 0; v < kVectors; ++v) sum[v] += own[v];
                    }
                    for (int v = 0; v < kVectors; ++v) vectors(out)[v] = sum[v];
                }
            }
        }
    }
    mirror(frame, table);
}

#if defined(__BMI2__)
constexpr bool kPacksFast = true;
#else
constexpr bool kPacksFast = false;
#endif

// Where the storage is narrower than the lanes, sums are formed in the storage type as long as they fit.
template <class S, class T>
void channel_table(const Frame& frame, const Channel& channel, const std::uint64_t* filter, const T* singles,
                   T* table, const Scratch& scratch) {
    if constexpr (sizeof(S) == sizeof(T) && sizeof(S) > 1) {
        const bool many = count_and(filter + channel.word_begin, filter + channel.word_begin,
                                    channel.word_end - channel.word_begin) > 24;
        if (kPacksFast && many && frame.n_active > 40)
            return four_row_table<T>(frame, channel, filter, table, scratch);
        return gather_table<T>(frame, channel, filter, singles, table, scratch);
    }
    std::uint32_t* rows = scratch.indices;
    S* narrow = static_cast<S*>(scratch.narrow);
    const int stride = frame.stride;
    const std::size_t size = static_cast<std::size_t>(stride);
    const S* matrix = static_cast<const S*>(channel.matrix);
    for (int a = 0; a < frame.n_active; ++a) {
        Vec<T>* out = vectors(table + static_cast<std::size_t>(frame.active[a]) * size);
        for (int v = 0; v < stride / kLanes<T>; ++v) out[v] = Vec<T>{};
    }
    int word = channel.word_begin;
    while (word < channel.word_end) {
        if (scratch.checkpoint != nullptr) scratch.checkpoint(scratch.context);
        int count = 0;
        const int limit = sizeof(S) == sizeof(T) ? kIndexWords * 64 - 64 : frame.chunk;
        std::uint64_t bits = 0;
        // A batch of rows: whole words, so that at least one fits (a chunk holds 127 unit rows, or few heavy
        // ones).
        for (; word < channel.word_end; ++word) {
            bits = filter[word];
            if (count > 0 && count + count_bits(bits) > limit) break;
            count += decode(bits, static_cast<std::uint32_t>(word) * 64u, rows + count);
        }
        if (sizeof(S) == sizeof(T)) {
            scatter<T>(frame, reinterpret_cast<const T*>(matrix), rows, count, table);
            continue;
        }
        for (int begin = 0; begin < count; begin += limit) {
            for (int a = 0; a < frame.n_active; ++a) {
                Vec<S>* out = vectors(narrow + static_cast<std::size_t>(frame.active[a]) * size);
                for (int v = 0; v < stride / kLanes<S>; ++v) out[v] = Vec<S>{};
            }
            scatter<S>(frame, matrix, rows + begin, count - begin < limit ? count - begin : limit, narrow);
            for (int a = 0; a < frame.n_active; ++a) {
                const S* from = narrow + static_cast<std::size_t>(frame.active[a]) * size;
                T* to = table + static_cast<std::size_t>(frame.active[a]) * size;
                for (int j = 0; j < stride; ++j) to[j] = static_cast<T>(to[j] + static_cast<T>(from[j]));
            }
        }
    }
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        if (!frame.listed_without[i]) continue;
        Vec<T>* out = vectors(table + static_cast<std::size_t>(i) * size);
        for (int v = 0; v < stride / kLanes<T>; ++v) out[v] = vectors(singles)[v] - out[v];
    }
}

template <class S, class T>
void typed_single_sums(const Frame& frame, const std::uint64_t* filter, void* sums, const Scratch& scratch) {
    std::uint32_t* rows = scratch.indices;
    S* part = reinterpret_cast<S*>(rows + kIndexWords * 64 + 64);
    for (int c = 0; c < frame.n_channels; ++c) {
        const Channel& channel = frame.channels[c];
        T* out = static_cast<T*>(sums) + c * frame.stride;
        for (int v = 0; v < frame.stride / kLanes<T>; ++v) vectors(out)[v] = Vec<T>{};
        if (frame.sparse) {
            sparse_sums<T>(frame, channel, filter, out);
            continue;
        }
        for (int begin = channel.word_begin; begin < channel.word_end; begin += kIndexWords) {
            const int end = begin + kIndexWords < channel.word_end ? begin + kIndexWords : channel.word_end;
            int count = 0;
            for (int w = begin; w < end; ++w)
                count += decode(filter[w], static_cast<std::uint32_t>(w) * 64u, rows + count);
            Adder<S, T>::add(static_cast<const S*>(channel.matrix), frame.stride, rows, count, frame.chunk,
                             out, part);
        }
    }
}

template <class S, class T>
void typed_pair_table(const Frame& frame, const std::uint64_t* filter, const void* singles, void* table,
                      const Scratch& scratch) {
    const std::size_t size = static_cast<std::size_t>(frame.stride) * static_cast<std::size_t>(frame.stride);
    if (frame.sparse)
        return sparse_tables<T>(frame, filter, static_cast<const T*>(singles), static_cast<T*>(table),
                                scratch);
    for (int c = 0; c < frame.n_channels; ++c)
        channel_table<S, T>(frame, frame.channels[c], filter,
                            static_cast<const T*>(singles) + c * frame.stride,
                            static_cast<T*>(table) + static_cast<std::size_t>(c) * size, scratch);
}

// Calls Function<Storage, Lane> for the number types of the frame.
#define STREED_BY_TYPE(function, ...)                                                            \
    if (frame.storage == Storage::f64) return function<double, double>(__VA_ARGS__);             \
    if (frame.storage == Storage::i32) return function<std::int32_t, std::int32_t>(__VA_ARGS__); \
    if (frame.lane == Lane::i8) return function<std::int8_t, std::int8_t>(__VA_ARGS__);          \
    if (frame.lane == Lane::i16) return function<std::int8_t, std::int16_t>(__VA_ARGS__);        \
    return function<std::int8_t, std::int32_t>(__VA_ARGS__);

void single_sums(const Frame& frame, const std::uint64_t* filter, void* out, const Scratch& scratch) {
    STREED_BY_TYPE(typed_single_sums, frame, filter, out, scratch)
}

void sum_table(const Frame& frame, const std::uint64_t* filter, const void* singles, void* table,
               const Scratch& scratch) {
    STREED_BY_TYPE(typed_pair_table, frame, filter, singles, table, scratch)
}
#undef STREED_BY_TYPE
