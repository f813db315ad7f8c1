// Rows with values: pair tables by masked adds, and what they say about the children of all features at once.

// One number per lane with a single bit set, to turn bits into lanes of ones.
template <class T>
struct Mask;
template <>
struct Mask<std::int32_t> {
    using type = std::int32_t;
};
template <>
struct Mask<double> {
    using type = std::int64_t;
};

template <class T>
inline Vec<typename Mask<T>::type> lane_bits(int first) {
    using I = typename Mask<T>::type;
    Vec<I> out{};
    for (int l = 0; l < kLanes<T>; ++l) out[l] = static_cast<I>(std::int64_t{1} << (first + l));
    return out;
}

// The features of each row, 32 to a number: [row][stride / 32].
inline void rows_as_lanes(const SumFrame& frame, std::uint32_t* lanes) {
    const int blocks = frame.stride / kBlock;
    __builtin_memset(lanes, 0,
                     sizeof(std::uint32_t) * static_cast<unsigned long>(frame.n_rows) *
                         static_cast<unsigned long>(blocks));
    const int words = (frame.n_rows + 63) / 64;
    for (int w = 0; w < words; ++w)
        for (int f = 0; f < frame.n_features; ++f)
            for (std::uint64_t rest = frame.bits[static_cast<long>(w) * frame.stride + f]; rest != 0;
                 rest &= rest - 1)
                lanes[static_cast<long>(64 * w + __builtin_ctzll(rest)) * blocks + f / kBlock] |=
                    1u << (f % kBlock);
}

constexpr int kValuesTogether = 4;

// The rows of a feature are walked once for every vector of second features and up to four values; the sums
// stay in registers.
template <class T, int Values>
inline void sum_feature(const std::uint32_t* rows, int n, const std::uint32_t* lanes, int blocks,
                        const T* values, int n_values, int block, long plane, T* sums) {
    using I = typename Mask<T>::type;
    for (int part = 0; part < kBlock; part += kLanes<T>) {
        const Vec<I> bits = lane_bits<T>(part);
        Vec<T> sum[Values] = {};
        for (int k = 0; k < n; ++k) {
            const Vec<I> has = (splat<I>(static_cast<I>(lanes[static_cast<long>(rows[k]) * blocks + block])) &
                                bits) != 0;
            const T* value = values + static_cast<long>(rows[k]) * n_values;
            for (int v = 0; v < Values; ++v)
                sum[v] += reinterpret_cast<Vec<T>>(has & reinterpret_cast<Vec<I>>(splat<T>(value[v])));
        }
        for (int v = 0; v < Values; ++v) store(sums + v * plane + block * kBlock + part, sum[v]);
    }
}

template <class T>
void sum_pairs(const SumFrame& frame, T* sums) {
    const int stride = frame.stride, blocks = stride / kBlock, m = frame.n_values,
              words = (frame.n_rows + 63) / 64;
    const long plane = static_cast<long>(stride) * stride;
    T* values = static_cast<T*>(frame.scratch);
    for (long k = 0; k < static_cast<long>(frame.n_rows) * m; ++k)
        values[k] = static_cast<T>(frame.values[k]);
    auto* lanes = reinterpret_cast<std::uint32_t*>(values + static_cast<long>(frame.n_rows) * m);
    std::uint32_t* rows = lanes + static_cast<long>(frame.n_rows) * blocks;
    rows_as_lanes(frame, lanes);
    for (int i = 0; i < frame.n_features; ++i) {
        int n = 0;
        for (int w = 0; w < words; ++w)
            for (std::uint64_t rest = frame.bits[static_cast<long>(w) * stride + i]; rest != 0;
                 rest &= rest - 1)
                rows[n++] = static_cast<std::uint32_t>(64 * w + __builtin_ctzll(rest));
        for (int block = i / kBlock; block < blocks; ++block)
            for (int v = 0; v < m; v += kValuesTogether) {
                T* out = sums + v * plane + static_cast<long>(i) * stride;
                switch (m - v) {
                    case 1:
                        sum_feature<T, 1>(rows, n, lanes, blocks, values + v, m, block, plane, out);
                        break;
                    case 2:
                        sum_feature<T, 2>(rows, n, lanes, blocks, values + v, m, block, plane, out);
                        break;
                    case 3:
                        sum_feature<T, 3>(rows, n, lanes, blocks, values + v, m, block, plane, out);
                        break;
                    default:
                        sum_feature<T, 4>(rows, n, lanes, blocks, values + v, m, block, plane, out);
                }
            }
    }
    for (int v = 0; v < m; ++v)
        for (int bj = 1; bj < blocks; ++bj)
            for (int bi = 0; bi < bj; ++bi) mirror_tile(sums + v * plane, stride, bi, bj);
}

// As count_children, with the cost of a cell as the least of its sums. The last value is the weight: what a
// cell can gain on its worst label is its weight less its cost.
template <class T>
void sum_children(const SumFrame& frame, const T* sums, const T* all, T support, T* const best[2],
                  T* const cell[2]) {
    const int stride = frame.stride, n = frame.n_features, labels = frame.n_values - 1;
    const long plane = static_cast<long>(stride) * stride;
    const Vec<T> enough = splat<T>(support);
    T* own = static_cast<T*>(frame.scratch);  // [value][lane]: rows with the feature of each lane
    for (int lane = 0; lane < n; lane += kLanes<T>) {
        for (int v = 0; v <= labels; ++v)
            for (int l = 0; l < kLanes<T>; ++l)
                own[v * kLanes<T> + l] =
                    lane + l < n ? sums[v * plane + static_cast<long>(lane + l) * stride + lane + l] : T{};
        Vec<T> best1 = splat<T>(Limit<T>::most), best0 = best1, cell1 = best1, cell0 = best1;
        for (int j = 0; j < n; ++j) {
            const T* pair = sums + static_cast<long>(j) * stride;
            Vec<T> x = splat<T>(Limit<T>::most), rest1 = x, z = x, rest0 = x;
            for (int v = 0; v < labels; ++v) {
                const Vec<T> both = load(pair + v * plane + lane), with = load(own + v * kLanes<T>);
                const Vec<T> other = splat<T>(pair[v * plane + j]) - both;
                x = smaller(x, both);
                rest1 = smaller(rest1, with - both);
                z = smaller(z, other);
                rest0 = smaller(rest0, splat<T>(all[v]) - with - other);
            }
            const Vec<T> weight = load(pair + labels * plane + lane), with = load(own + labels * kLanes<T>);
            const Vec<T> other = splat<T>(pair[labels * plane + j]) - weight;
            best1 = smaller(best1, x + rest1);
            best0 = smaller(best0, z + rest0);
            const auto pays1 = (weight - x >= enough) & (with - weight - rest1 >= enough);
            const auto pays0 = (other - z >= enough) &
                               (splat<T>(all[labels]) - with - other - rest0 >= enough);
            cell1 = pays1 ? smaller(cell1, smaller(x, rest1)) : cell1;
            cell0 = pays0 ? smaller(cell0, smaller(z, rest0)) : cell0;
        }
        store(best[1] + lane, best1);
        store(best[0] + lane, best0);
        store(cell[1] + lane, cell1);
        store(cell[0] + lane, cell0);
    }
}

// Sums over chosen rows that lie as lanes: the weights of those with each feature; returns the weight of all.
std::int32_t sum_lanes(const std::uint32_t* lanes, int blocks, const std::uint32_t* rows, int n,
                       const std::int32_t* weights, std::int32_t* sums) {
    constexpr int kParts = kBlock / kLanes<std::int32_t>;
    std::int32_t all = 0;
    for (int k = 0; k < n; ++k) all += weights[rows[k]];
    for (int block = 0; block < blocks; ++block) {
        Vec<std::int32_t> bits[kParts], sum[kParts] = {};
        for (int p = 0; p < kParts; ++p) bits[p] = lane_bits<std::int32_t>(p * kLanes<std::int32_t>);
        for (int k = 0; k < n; ++k) {
            const Vec<std::int32_t> features = splat(static_cast<std::int32_t>(
                                        lanes[static_cast<long>(rows[k]) * blocks + block])),
                                    weight = splat(weights[rows[k]]);
            for (int p = 0; p < kParts; ++p) sum[p] += ((features & bits[p]) != 0) & weight;
        }
        for (int p = 0; p < kParts; ++p)
            __builtin_memcpy(sums + block * kBlock + p * kLanes<std::int32_t>, &sum[p], sizeof sum[p]);
    }
    return all;
}

// Adds the numbers of the rows of one block that have each feature.
void add_columns(const std::uint64_t* bits, int stride, int n_rows, int n_features, const double* values,
                 double* sums) {
    for (int f = 0; f < n_features; f += kLanes<double>) {
        Vec<double> sum{};
        for (int r = 0; r < n_rows; ++r) {
            const auto words = *vectors(reinterpret_cast<const std::int64_t*>(bits) +
                                        static_cast<long>(r / 64) * stride + f);
            const Vec<std::int64_t> has = -((words >> (r % 64)) & 1);
            sum += reinterpret_cast<Vec<double>>(has & reinterpret_cast<Vec<std::int64_t>>(splat(values[r])));
        }
        for (int l = 0; l < kLanes<double> && f + l < n_features; ++l) sums[f + l] += sum[l];
    }
}
