// Any costs per label: the sums of all labels are kept for the lower side of every lane; the upper side has
// what all rows up to there have, less these. At the end of every group of equal values the four cells of the
// lanes' two splits are minima over labels. The same walk counts rows where leaves have a least size:
// `limited` is the best of the splits that respect it, `stump` the best of all, which bounds neighbouring
// thresholds.

template <class Entry, class T>
void costs_of(const NodeView& node, const Word<kLanes<T>>* words, void* scratch, Sides& out) {
    const int labels = node.n_labels;
    const T* values = static_cast<const T*>(node.values);
    Vec<T>* sums = static_cast<Vec<T>*>(scratch);         // [label], of the lower side
    Vec<T>* totals = sums + labels;                       // [side][label]
    T* seen = reinterpret_cast<T*>(totals + 2 * labels);  // [label], of all rows so far
    T* all = seen + labels;
    const Vec<T> zero{}, one = splat<T>(T(1)),
                         large = splat<T>(static_cast<T>(sizeof(T) == 8 ? 0x1p60 : 0x1p30));
    const Vec<T> least_size = splat<T>(static_cast<T>(node.min_samples_leaf));
    const bool limited = node.min_samples_leaf > 1;
    Vec<T> size{};
    for (int k = 0; k < 2 * labels; ++k) totals[k] = zero;
    for (int k = 0; k < labels; ++k) all[k] = 0;
    for (int row = 0; row < node.n_rows; ++row) {
        const Mask<T> lower = lanes_of<T>(words[row], 0);
        size = add_where(size, lower, one);
        for (int k = 0; k < labels; ++k) {
            const T value = values[static_cast<std::size_t>(row) * static_cast<std::size_t>(labels) +
                                   static_cast<std::size_t>(k)];
            all[k] += value;
            totals[k] = add_where(totals[k], lower, splat<T>(value));
        }
    }
    Vec<T> leaf[2] = {large, large}, best[2], kept[2] = {large, large};
    for (int k = 0; k < labels; ++k) {
        totals[labels + k] = splat<T>(all[k]) - totals[k];
        for (int side = 0; side < 2; ++side) leaf[side] = smaller(leaf[side], totals[side * labels + k]);
    }
    const Vec<T> upper_size = splat<T>(static_cast<T>(node.n_rows)) - size;
    best[0] = leaf[0];
    best[1] = leaf[1];
    for (int j = 0; j < node.n_columns; ++j) {
        if (node.groups[j] < 2) continue;
        const Entry* order = static_cast<const Entry*>(node.order) +
                             static_cast<std::size_t>(j) * static_cast<std::size_t>(node.stride);
        for (int k = 0; k < labels; ++k) sums[k] = zero, seen[k] = 0;
        Vec<T> lower_seen{};
        for (int p = 0; p < node.n_rows; ++p) {
            const std::uint32_t row = row_of(order[p]);
            const Mask<T> lower = lanes_of<T>(words[row], 0);
            const T* value = values + static_cast<std::size_t>(row) * static_cast<std::size_t>(labels);
            for (int k = 0; k < labels; ++k) {
                seen[k] += value[k];
                sums[k] = add_where(sums[k], lower, splat<T>(value[k]));
            }
            if (limited) lower_seen = add_where(lower_seen, lower, one);
            if ((order[p] & kEnd<Entry>) == 0) continue;
            Vec<T> cell[2][2] = {{large, large}, {large, large}};  // [side][before or behind the threshold]
            for (int k = 0; k < labels; ++k) {
                const Vec<T> upper = splat<T>(seen[k]) - sums[k];
                cell[0][0] = smaller(cell[0][0], sums[k]);
                cell[0][1] = smaller(cell[0][1], totals[k] - sums[k]);
                cell[1][0] = smaller(cell[1][0], upper);
                cell[1][1] = smaller(cell[1][1], totals[labels + k] - upper);
            }
            const Vec<T> sizes[2] = {lower_seen, splat<T>(static_cast<T>(p + 1)) - lower_seen};
            const Vec<T> whole[2] = {size, upper_size};
            for (int side = 0; side < 2; ++side) {
                const Vec<T> two = cell[side][0] + cell[side][1];
                best[side] = smaller(best[side], two);
                if (!limited) continue;
                const Vec<T> fits = sizes[side] >= least_size ? two : large;
                kept[side] = smaller(kept[side], whole[side] - sizes[side] >= least_size ? fits : large);
            }
        }
    }
    for (int side = 0; side < 2; ++side)
        for (int l = 0; l < kLanes<T>; ++l) {
            out.leaf[side][l] = lane<T>(leaf[side], l);
            out.stump[side][l] = lane<T>(best[side], l);
            out.limited[side][l] = kept[side][l] >= large[l] ? kNone : lane<T>(kept[side], l);
        }
}

template <class T>
void costs_for(const NodeView& node, const void* given, void* scratch, Sides& out) {
    const auto* words = static_cast<const Word<kLanes<T>>*>(given);
    if (node.wide)
        costs_of<std::uint64_t, T>(node, words, scratch, out);
    else
        costs_of<std::uint32_t, T>(node, words, scratch, out);
}

void costs(const NodeView& node, Width width, const void* words, void* scratch, Sides& out) {
    if (width == Width::f64) return costs_for<double>(node, words, scratch, out);
    return costs_for<std::int32_t>(node, words, scratch, out);
}
