// More than two labels: a leaf gains the weight of its most frequent label. Within a run of one label the
// gain of two leaves is convex in the threshold, so that only the ends of runs count. Only the lower side is
// summed up: the upper side has what the run has in all less that. Forward, the largest sum before every end
// is stored; backward, what lies behind an end is the total less what was stored, so that the second pass
// goes over runs instead of rows.

template <class Entry, class T, bool Unit>
void classes_of(const NodeView& node, const Word<kWalkLanes<T>>* words, Vec<T>* scratch, Sides& out) {
    constexpr int B = kBlock<T>;
    Vec<T>* sums = scratch;  // [label][B]
    Vec<T>* stored = scratch +
                     B * node.n_labels;  // [run][3][B]: sum of its label, largest sums of both sides
    const Vec<T> zero{}, one = splat<T>(T(1));
    const T* values = static_cast<const T*>(node.values);
    Vec<T> leaf[2][B]{}, best[2][B]{};
    for (int j = 0; j < node.n_columns; ++j) {
        if (node.groups[j] < 2) continue;
        const Entry* order = static_cast<const Entry*>(node.order) +
                             static_cast<std::size_t>(j) * static_cast<std::size_t>(node.stride);
        const Run<T>* runs = static_cast<const Run<T>*>(node.runs[j]);
        const int n_runs = node.n_runs[j];
        for (int c = 0; c < B * node.n_labels; ++c) sums[c] = zero;
        Vec<T> most[2][B]{};
        Vec<T>* at = stored;
        std::uint32_t p = 0;
        for (int r = 0; r < n_runs; ++r, at += 3 * B) {
            const Run<T> run = runs[r];
            Vec<T>* sum = sums + B * static_cast<int>(run.label & ~kThreshold);
            Vec<T> lower[B];
            for (int b = 0; b < B; ++b) at[b] = lower[b] = sum[b];
            do {
                const std::uint32_t row = row_of(order[p]);
                const auto word = words[row];
                const Vec<T> value = Unit ? one : splat<T>(values[row]);
                for (int b = 0; b < B; ++b) lower[b] = add_where(lower[b], lanes_of<T>(word, b), value);
            } while (++p < run.end);
            const Vec<T> after = splat<T>(run.after);
            for (int b = 0; b < B; ++b) {
                sum[b] = lower[b];
                at[B + b] = most[0][b] = larger(most[0][b], lower[b]);
                at[2 * B + b] = most[1][b] = larger(most[1][b], after - lower[b]);
            }
        }
        for (int b = 0; b < B; ++b)
            for (int side = 0; side < 2; ++side) {
                leaf[side][b] = most[side][b];
                best[side][b] = larger(best[side][b], most[side][b]);
            }
        Vec<T> behind[2][B]{};
        const T* totals = reinterpret_cast<const T*>(runs + n_runs);  // per label, after the last run
        for (int r = n_runs - 1; r >= 0; --r) {
            at -= 3 * B;
            const Run<T> run = runs[r];
            if (run.label & kThreshold) {
                for (int b = 0; b < B; ++b)
                    for (int side = 0; side < 2; ++side)
                        best[side][b] = larger(best[side][b], at[(1 + side) * B + b] + behind[side][b]);
            }
            const int label = static_cast<int>(run.label & ~kThreshold);
            const Vec<T> rest = splat<T>(static_cast<T>(totals[label] - run.before));
            for (int b = 0; b < B; ++b) {
                const Vec<T> lower = sums[B * label + b] - at[b];
                behind[0][b] = larger(behind[0][b], lower);
                behind[1][b] = larger(behind[1][b], rest - lower);
            }
        }
    }
    for (int side = 0; side < 2; ++side)
        for (int l = 0; l < kWalkLanes<T>; ++l) {
            out.leaf[side][l] = lane<T>(leaf[side][l / kLanes<T>], l % kLanes<T>);
            out.stump[side][l] = lane<T>(best[side][l / kLanes<T>], l % kLanes<T>);
        }
}

template <class T>
void classes_for(const NodeView& node, const void* given, void* scratch, Sides& out) {
    const auto* words = static_cast<const Word<kWalkLanes<T>>*>(given);
    Vec<T>* memory = static_cast<Vec<T>*>(scratch);
    if (node.wide && node.values != nullptr)
        classes_of<std::uint64_t, T, false>(node, words, memory, out);
    else if (node.wide)
        classes_of<std::uint64_t, T, true>(node, words, memory, out);
    else if (node.values != nullptr)
        classes_of<std::uint32_t, T, false>(node, words, memory, out);
    else
        classes_of<std::uint32_t, T, true>(node, words, memory, out);
}

void classes(const NodeView& node, Width width, const void* words, void* scratch, Sides& out) {
    switch (width) {
        case Width::i8:
            return classes_for<std::int8_t>(node, words, scratch, out);
        case Width::i16:
            return classes_for<std::int16_t>(node, words, scratch, out);
        case Width::i32:
            return classes_for<std::int32_t>(node, words, scratch, out);
        case Width::f64:
            return classes_for<double>(node, words, scratch, out);
        case Width::blocks:
            return;  // of two labels alone
    }
}
