// Sums over weighted rows that have few features: they have lists of them instead of vectors. Part of
// kernels/body.hpp.

// Tables of wide numbers are filled from the diagonal on, by blocks of lanes, and then mirrored.
inline int first_lane(int i) { return i / kVectorBytes * kVectorBytes; }

template <class T>
void clear_half(const Frame& frame, T* table) {
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        T* row = table + static_cast<std::size_t>(i) * static_cast<std::size_t>(frame.stride);
        for (int j = first_lane(i); j < frame.stride; ++j) row[j] = T{};
    }
}

// The values of every slot are added for each pair of features that it lists, those of several channels at
// once.
template <class T, int Channels>
void sparse_tables(const Frame& frame, const Channel* channels, const std::uint64_t* filter, const T* singles,
                   T* table, const Scratch& scratch) {
    const int stride = frame.stride;
    const std::size_t size = static_cast<std::size_t>(stride);
    const std::size_t table_size = size * size;
    bool any_without = false;
    for (int a = 0; a < frame.n_active; ++a)
        any_without = any_without || frame.listed_without[frame.active[a]];
    for (std::size_t c = 0; c < Channels; ++c) clear_half(frame, table + c * table_size);
    T total[Channels] = {};
    for (int w = channels[0].word_begin; w < channels[0].word_end; ++w) {
        if (scratch.checkpoint != nullptr && w % 64 == 0) scratch.checkpoint(scratch.context);
        for (std::uint64_t bits = filter[w]; bits != 0; bits &= bits - 1) {
            const std::size_t slot = static_cast<std::size_t>(w) * 64 + lowest_bit(bits);
            T value[Channels];
            for (int c = 0; c < Channels; ++c) {
                value[c] = static_cast<T>(channels[c].values[slot]);
                total[c] = static_cast<T>(total[c] + value[c]);
            }
            const std::uint32_t* last = frame.row_lanes + frame.row_begin[slot + 1];
            for (const std::uint32_t* i = frame.row_lanes + frame.row_begin[slot]; i != last; ++i) {
                T* row = table + *i * size;
                for (const std::uint32_t* j = i; j != last; ++j)
                    for (std::size_t c = 0; c < Channels; ++c)
                        row[c * table_size + *j] = static_cast<T>(row[c * table_size + *j] + value[c]);
            }
        }
    }
    for (std::size_t c = 0; c < Channels; ++c) {
        T* own = table + c * table_size;
        const T* single = singles + c * size;
        for (int a = 0; a < frame.n_active; ++a) {
            const int i = frame.active[a];
            T* row = own + static_cast<std::size_t>(i) * size;
            if (any_without) {  // from the listed sides to the rows with both features
                for (int j = i; j < stride; ++j) {
                    if (frame.listed_without[i])
                        row[j] = static_cast<T>((frame.listed_without[j] ? total[c] - single[j] : single[j]) -
                                                row[j]);
                    if (frame.listed_without[j]) row[j] = static_cast<T>(single[i] - row[j]);
                }
            }
            for (int j = first_lane(i); j < i; ++j)
                row[j] = own[static_cast<std::size_t>(j) * size + static_cast<std::size_t>(i)];
        }
        mirror(frame, own);
    }
}

template <class T>
void sparse_tables(const Frame& frame, const std::uint64_t* filter, const T* singles, T* table,
                   const Scratch& scratch) {
    const std::size_t size = static_cast<std::size_t>(frame.stride);
    for (int c = 0; c < frame.n_channels;) {
        const Channel* channels = frame.channels + c;
        int alike = 1;
        while (alike < 3 && c + alike < frame.n_channels &&
               channels[alike].word_begin == channels[0].word_begin &&
               channels[alike].word_end == channels[0].word_end)
            ++alike;
        const T* own = singles + static_cast<std::size_t>(c) * size;
        T* out = table + static_cast<std::size_t>(c) * size * size;
        if (alike == 1)
            sparse_tables<T, 1>(frame, channels, filter, own, out, scratch);
        else if (alike == 2)
            sparse_tables<T, 2>(frame, channels, filter, own, out, scratch);
        else
            sparse_tables<T, 3>(frame, channels, filter, own, out, scratch);
        c += alike;
    }
}

// Sums of the features of sparse slots; those of features that are not active are left at zero.
template <class T>
void sparse_sums(const Frame& frame, const Channel& channel, const std::uint64_t* filter, T* out) {
    T total{};
    for (int w = channel.word_begin; w < channel.word_end; ++w) {
        for (std::uint64_t bits = filter[w]; bits != 0; bits &= bits - 1) {
            const std::size_t slot = static_cast<std::size_t>(w) * 64 + lowest_bit(bits);
            const T value = static_cast<T>(channel.values[slot]);
            total = static_cast<T>(total + value);
            for (std::uint32_t k = frame.row_begin[slot]; k < frame.row_begin[slot + 1]; ++k)
                out[frame.row_lanes[k]] = static_cast<T>(out[frame.row_lanes[k]] + value);
        }
    }
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        if (frame.listed_without[i]) out[i] = static_cast<T>(total - out[i]);
    }
}
