// Two labels as signed sums: rows of label 1 add their weight, rows of label 0 take it away. With the sum x
// of the rows up to a threshold and the sum t of all rows of a side, two leaves gain |x| + |t - x| = max(|t|,
// |2x - t|), so that the extremes of x are all that has to be kept, over all columns. A group of equal values
// counts at its end only. Where few positions count, only the lower side is summed up: at these, the upper
// side has the sum of all rows so far less that.

template <class T>
struct TwoSides {
    Vec<T> sum[2][kBlock<T>];
    Vec<T> most[2][kBlock<T>];
    Vec<T> least[2][kBlock<T>];

    template <class W>
    inline __attribute__((always_inline)) void add(W word, Vec<T> value) {
        for (int b = 0; b < kBlock<T>; ++b) {
            const Mask<T> lower = lanes_of<T>(word, b);
            sum[0][b] = add_where(sum[0][b], lower, value);
            sum[1][b] = add_where(sum[1][b], other_lanes<T>(lower), value);
        }
    }
    template <class W>
    inline __attribute__((always_inline)) void add_lower(W word, Vec<T> value) {
        for (int b = 0; b < kBlock<T>; ++b) sum[0][b] = add_where(sum[0][b], lanes_of<T>(word, b), value);
    }
    inline __attribute__((always_inline)) void set_upper(Vec<T> whole) {
        for (int b = 0; b < kBlock<T>; ++b) sum[1][b] = whole - sum[0][b];
    }
    inline __attribute__((always_inline)) void look() {
        for (int side = 0; side < 2; ++side)
            for (int b = 0; b < kBlock<T>; ++b) {
                most[side][b] = larger(most[side][b], sum[side][b]);
                least[side][b] = smaller(least[side][b], sum[side][b]);
            }
    }
    inline __attribute__((always_inline)) void look_if(bool end) {
        const Mask<T> all = all_or_none<T>(end);
        for (int side = 0; side < 2; ++side)
            for (int b = 0; b < kBlock<T>; ++b) {
                most[side][b] = larger_where(most[side][b], all, sum[side][b]);
                least[side][b] = smaller_where(least[side][b], all, sum[side][b]);
            }
    }
};

template <class Entry, class T, bool Unit>
void two_labels_of(const NodeView& node, const Word<kWalkLanes<T>>* words, Sides& out) {
    const std::uint32_t first = static_cast<std::uint32_t>(node.n_first);
    const T* values = static_cast<const T*>(node.values);
    const Vec<T> signs[2] = {splat<T>(T(-1)), splat<T>(T(1))};
    TwoSides<T> s{};
    Vec<T> total[2][kBlock<T>]{};
    bool walked = false;
    const auto value_of = [&](std::uint32_t row) {
        if constexpr (Unit)
            return signs[row >= first];
        else
            return splat<T>(values[row]);
    };
    const auto number_of = [&](std::uint32_t row) {
        if constexpr (Unit)
            return row >= first ? T(1) : T(-1);
        else
            return values[row];
    };
    for (int j = 0; j < node.n_columns; ++j) {
        if (node.groups[j] < 2) continue;
        const Entry* order = static_cast<const Entry*>(node.order) +
                             static_cast<std::size_t>(j) * static_cast<std::size_t>(node.stride);
        for (int side = 0; side < 2; ++side)
            for (int b = 0; b < kBlock<T>; ++b) s.sum[side][b] = Vec<T>{};
        TwoSides<T> t = s;
        if (node.walk[j] == Walk::distinct) {
            for (int p = 0; p < node.n_rows; ++p) {
                const std::uint32_t row = row_of(order[p]);
                t.add(words[row], value_of(row));
                t.look();
            }
        } else if (node.walk[j] == Walk::ties) {
            for (int p = 0; p < node.n_rows; ++p) {
                const std::uint32_t row = row_of(order[p]);
                t.add(words[row], value_of(row));
                t.look_if((order[p] & kEnd<Entry>) != 0);
            }
        } else {
            T whole = 0;
            for (int p = 0; p < node.n_rows; ++p) {
                const std::uint32_t row = row_of(order[p]);
                t.add_lower(words[row], value_of(row));
                whole = static_cast<T>(whole + number_of(row));
                if ((order[p] & kTurn<Entry>) == 0) continue;
                t.set_upper(splat<T>(whole));
                t.look();
            }
            t.set_upper(splat<T>(whole));
        }
        s = t;
        if (walked) continue;
        walked = true;
        for (int side = 0; side < 2; ++side)
            for (int b = 0; b < kBlock<T>; ++b) total[side][b] = s.sum[side][b];
    }
    for (int side = 0; side < 2; ++side)
        for (int l = 0; l < kWalkLanes<T>; ++l) {
            const int b = l / kLanes<T>, k = l % kLanes<T>;
            const std::int64_t all = lane<T>(total[side][b], k);
            const std::int64_t high = 2 * lane<T>(s.most[side][b], k) - all,
                               low = all - 2 * lane<T>(s.least[side][b], k);
            out.leaf[side][l] = all < 0 ? -all : all;
            out.stump[side][l] = high > low ? high : low;
        }
}

template <class T>
void two_labels_for(const NodeView& node, const void* given, Sides& out) {
    const auto* words = static_cast<const Word<kWalkLanes<T>>*>(given);
    if (node.wide && node.values != nullptr)
        two_labels_of<std::uint64_t, T, false>(node, words, out);
    else if (node.wide)
        two_labels_of<std::uint64_t, T, true>(node, words, out);
    else if (node.values != nullptr)
        two_labels_of<std::uint32_t, T, false>(node, words, out);
    else
        two_labels_of<std::uint32_t, T, true>(node, words, out);
}
