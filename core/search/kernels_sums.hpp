// Pair tables of weighted rows. Row r of a matrix holds, in lane j, the row's statistic if it has feature j, else
// zero; the vectors of the rows that have feature i add up to table[i]. Only the rarer side of each feature is added
// up, the other one follows from the single sums, so the work shrinks with the density of the data.
// Sum of row vectors in registers, `Group` vectors of lanes at a time.
template <class T, int Group>
inline void sum_group(const T* matrix, int stride, const std::uint32_t* rows, int count, T* out) {
    Vec<T> sum[Group];
    for (int g = 0; g < Group; ++g) sum[g] = Vec<T>{};
    for (int k = 0; k < count; ++k) {
        const Vec<T>* row = vectors(matrix + static_cast<std::size_t>(rows[k]) * static_cast<std::size_t>(stride));
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
            case 1: sum_group<T, 1>(m, stride, rows, count, o); lane += kLanes<T>; break;
            case 2: sum_group<T, 2>(m, stride, rows, count, o); lane += 2 * kLanes<T>; break;
            case 3: sum_group<T, 3>(m, stride, rows, count, o); lane += 3 * kLanes<T>; break;
            case 4: sum_group<T, 4>(m, stride, rows, count, o); lane += 4 * kLanes<T>; break;
            case 5: sum_group<T, 5>(m, stride, rows, count, o); lane += 5 * kLanes<T>; break;
            case 6: sum_group<T, 6>(m, stride, rows, count, o); lane += 6 * kLanes<T>; break;
            case 7: sum_group<T, 7>(m, stride, rows, count, o); lane += 7 * kLanes<T>; break;
            default: sum_group<T, 8>(m, stride, rows, count, o); lane += 8 * kLanes<T>; break;
        }
    }
}

// Adds the row vectors of the decoded slots to `out`, in the storage type as long as it cannot overflow.
template <class S, class T>
struct Adder {
    static void add(const S* matrix, int stride, const std::uint32_t* rows, int count, int chunk, T* out, S* part) {
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

// Adds the vectors of the given rows to the table rows of all features that the row lists: lanes [begin, begin +
// Group vectors) of every row at a time, the row's own vectors staying in registers.
template <class T, int Group>
inline void scatter_group(const Frame& frame, const T* matrix, const std::uint32_t* rows, int count, T* table) {
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
            case 1: scatter_group<T, 1>(frame, matrix + lane, rows, count, table + lane); lane += kLanes<T>; break;
            case 2: scatter_group<T, 2>(frame, matrix + lane, rows, count, table + lane); lane += 2 * kLanes<T>; break;
            case 3: scatter_group<T, 3>(frame, matrix + lane, rows, count, table + lane); lane += 3 * kLanes<T>; break;
            case 5: scatter_group<T, 5>(frame, matrix + lane, rows, count, table + lane); lane += 5 * kLanes<T>; break;
            case 6: scatter_group<T, 6>(frame, matrix + lane, rows, count, table + lane); lane += 6 * kLanes<T>; break;
            case 7: scatter_group<T, 7>(frame, matrix + lane, rows, count, table + lane); lane += 7 * kLanes<T>; break;
            default: scatter_group<T, 4>(frame, matrix + lane, rows, count, table + lane); lane += 4 * kLanes<T>; break;
        }
    }
}

// Where the storage is narrower than the lanes, sums are formed in the storage type as long as they fit.
template <class S, class T>
void channel_table(const Frame& frame, const Channel& channel, const std::uint64_t* filter, const T* singles, T* table,
                   const Scratch& scratch) {
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
        // A batch of rows: whole words, so that at least one fits (a chunk holds 127 unit rows, or few heavy ones).
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
        for (int begin = channel.word_begin; begin < channel.word_end; begin += kIndexWords) {
            const int end = begin + kIndexWords < channel.word_end ? begin + kIndexWords : channel.word_end;
            int count = 0;
            for (int w = begin; w < end; ++w) count += decode(filter[w], static_cast<std::uint32_t>(w) * 64u, rows + count);
            Adder<S, T>::add(static_cast<const S*>(channel.matrix), frame.stride, rows, count, frame.chunk, out, part);
        }
    }
}

template <class S, class T>
void typed_pair_table(const Frame& frame, const std::uint64_t* filter, const void* singles, void* table,
                      const Scratch& scratch) {
    const std::size_t size = static_cast<std::size_t>(frame.stride) * static_cast<std::size_t>(frame.stride);
    for (int c = 0; c < frame.n_channels; ++c)
        channel_table<S, T>(frame, frame.channels[c], filter, static_cast<const T*>(singles) + c * frame.stride,
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

void sum_table(const Frame& frame, const std::uint64_t* filter, const void* singles, void* table, const Scratch& scratch) {
    STREED_BY_TYPE(typed_pair_table, frame, filter, singles, table, scratch)
}
#undef STREED_BY_TYPE
