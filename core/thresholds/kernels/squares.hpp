// Squared error about the mean of one target. Rows have three whole numbers: weight, weighted target, and the
// square of the target times the weight. Of a split of one side into two leaves with the weights a and b and
// the sums c and d, c^2 / a + d^2 / b = (c^2 b + d^2 a) / (a b) is to be as large as possible: one division
// instead of two, which take most of the time. A leaf without rows has no sum, and the fraction is zero.
// Included by kernels/body.hpp, which is compiled without contraction of products and sums: all instruction
// sets round alike.

template <class Entry>
void squares_of(const NodeView& node, const Word<kWalkLanes<double>>* words, Sides& out) {
    constexpr int kVectors = kBlock<double>;
    using V = Vec<double>;
    const double* values = static_cast<const double*>(node.values);
    const bool limited = node.min_samples_leaf > 1;
    const V zero{}, one = splat<double>(1.0), least = splat<double>(node.min_samples_leaf),
                    tiny = splat<double>(0x1p-200), none = splat<double>(-1.0);
    V weight[2][kVectors], sum[2][kVectors], square[2][kVectors], size[2][kVectors];
    V best[2][kVectors], kept[2][kVectors];
    for (int v = 0; v < kVectors; ++v) {
        weight[0][v] = sum[0][v] = square[0][v] = size[0][v] = zero;
        best[0][v] = best[1][v] = zero;
        kept[0][v] = kept[1][v] = none;
    }
    double all[3] = {0, 0, 0};
    for (int row = 0; row < node.n_rows; ++row) {
        const double* value = values + 3 * static_cast<std::size_t>(row);
        for (int k = 0; k < 3; ++k) all[k] += value[k];
        for (int v = 0; v < kVectors; ++v) {
            const Mask<double> lower = lanes_of<double>(words[row], v);
            weight[0][v] = add_where(weight[0][v], lower, splat<double>(value[0]));
            sum[0][v] = add_where(sum[0][v], lower, splat<double>(value[1]));
            square[0][v] = add_where(square[0][v], lower, splat<double>(value[2]));
            size[0][v] = add_where(size[0][v], lower, one);
        }
    }
    for (int v = 0; v < kVectors; ++v) {
        weight[1][v] = splat<double>(all[0]) - weight[0][v];
        sum[1][v] = splat<double>(all[1]) - sum[0][v];
        square[1][v] = splat<double>(all[2]) - square[0][v];
        size[1][v] = splat<double>(node.n_rows) - size[0][v];
    }
    for (int j = 0; j < node.n_columns; ++j) {
        if (node.groups[j] < 2) continue;
        const Entry* order = static_cast<const Entry*>(node.order) +
                             static_cast<std::size_t>(j) * static_cast<std::size_t>(node.stride);
        V below[kVectors] = {}, sum_below[kVectors] = {}, size_below[kVectors] = {};
        double weight_seen = 0, sum_seen = 0;
        for (int p = 0; p < node.n_rows; ++p) {
            const std::uint32_t row = row_of(order[p]);
            const double* value = values + 3 * static_cast<std::size_t>(row);
            weight_seen += value[0];
            sum_seen += value[1];
            for (int v = 0; v < kVectors; ++v) {
                const Mask<double> lower = lanes_of<double>(words[row], v);
                below[v] = add_where(below[v], lower, splat<double>(value[0]));
                sum_below[v] = add_where(sum_below[v], lower, splat<double>(value[1]));
                if (limited) size_below[v] = add_where(size_below[v], lower, one);
            }
            if ((order[p] & kEnd<Entry>) == 0) continue;
            for (int v = 0; v < kVectors; ++v) {
                const V first[2] = {below[v], splat<double>(weight_seen) - below[v]};
                const V first_sum[2] = {sum_below[v], splat<double>(sum_seen) - sum_below[v]};
                const V first_size[2] = {size_below[v], splat<double>(p + 1) - size_below[v]};
                for (int side = 0; side < 2; ++side) {
                    const V a = first[side], b = weight[side][v] - a;
                    const V c = first_sum[side], d = sum[side][v] - c;
                    const V two = (c * c * b + d * d * a) / larger(a * b, tiny);
                    best[side][v] = larger(best[side][v], two);
                    if (!limited) continue;
                    const V fits = first_size[side] >= least ? two : none;
                    kept[side][v] = larger(kept[side][v],
                                           size[side][v] - first_size[side] >= least ? fits : none);
                }
            }
        }
    }
    for (int side = 0; side < 2; ++side)
        for (int v = 0; v < kVectors; ++v) {
            const V leaf = sum[side][v] * sum[side][v] / larger(weight[side][v], tiny);
            for (int l = 0; l < kLanes<double>; ++l) {
                const int at = v * kLanes<double> + l;
                const double whole = square[side][v][l];
                out.leaf[side][at] = square_ticks(whole, leaf[l] * node.factor);
                out.stump[side][at] = square_ticks(whole, best[side][v][l] * node.factor);
                out.limited[side][at] = kept[side][v][l] < 0
                                            ? kNone
                                            : square_ticks(whole, kept[side][v][l] * node.factor);
            }
        }
}

void squares(const NodeView& node, const void* words, Sides& out) {
    const auto* given = static_cast<const Word<kWalkLanes<double>>*>(words);
    if (node.wide)
        squares_of<std::uint64_t>(node, given, out);
    else
        squares_of<std::uint32_t>(node, given, out);
}
