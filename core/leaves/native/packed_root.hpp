// One root of a pair problem of packed sums, from its rows. Part of kernels/body.hpp.

// The benefits of both sides of a root, as leaves and with the best split, as in packed_splits(): the row of
// the pair table is made from the rows that the filter lets through, and taken from that of all rows for
// their rest. -1e300 as a leaf where a side has no rows.
RootSplits packed_root(const Frame& frame, const RootProblem& problem, int root, const NativeModel& given) {
    NativeModel model = given;
    model.n_values = 3;
    const Unpacking unpack(model.shift);
    const int lanes = native_lanes(frame), groups = (frame.stride + 63) / 64;
    const std::uint64_t* column = column_of(frame, root);
    int count = 0;
    for (int w = 0; w < frame.words; ++w)
        count += decode(problem.filter[w] & column[w], static_cast<std::uint32_t>(w) * 64u,
                        problem.indices + count);
    packed_row(problem.masks, groups, problem.values, {problem.indices, count, false}, nullptr, 0, lanes,
               problem.row);
    const AnyVec none = AnyVec{} - 1e300;
    AnyVec total[2], single[2];
    unpack(Longs{} + problem.total, total);
    unpack(Longs{} + problem.singles[root], single);
    const AnyVec rest[2] = {total[0] - single[0], total[1] - single[1]};
    const AnyVec leaves[2] = {larger_of(packed_ticks<false>(single, model), none),
                              larger_of(packed_ticks<false>(rest, model), none)};
    AnyVec best[2] = {none, none};
    for (int j = 0; j < lanes; j += kLanes<double>) {
        const Longs own = longs(problem.row + j), with = longs(problem.singles + j);
        alignas(kVectorBytes) AnyVec cell[4][2], other[2];
        // In a table that was mirrored idle lanes may have anything.
        const Longs rest_of_row = problem.minuend == nullptr ? own : longs(problem.minuend + j) - own;
        unpack(rest_of_row & (with != 0), cell[0]);
        unpack(with, other);
        for (int m = 0; m < 2; ++m) {
            cell[1][m] = single[m] - cell[0][m];
            cell[2][m] = other[m] - cell[0][m];
            cell[3][m] = rest[m] - cell[2][m];
        }
        for (int side = 0; side < 2; ++side)
            best[side] = larger_of(
                packed_ticks<false>(cell[2 * side], model) + packed_ticks<false>(cell[2 * side + 1], model),
                best[side]);
    }
    return {leaves[0][0], leaves[1][0], largest_of(best[0]), largest_of(best[1])};
}
