// The best groups of rows by their targets, for squared errors of one target. Part of kernels/body.hpp.
//
// However the leaves of a tree are made, k of them cost no less than the best k groups of the same rows, and
// the best groups by squared error hold rows that follow one another in the order of their means (k-means in
// one dimension). Rows are put into few bins in that order first. A group then has whole bins and a part of
// one at each end; the parts are left out, as no row makes a group cheaper, and a group without whole bins
// costs nothing but its price. So an end of a group is an end of a bin, or leaves one bin out.
//
// Lanes are sets of rows, e.g. the children of all features of a node. The obvious way for one set, all ends
// by divide and conquer, takes n log n steps for each set; here it takes bins^2 / 2 costs in a lane of a
// vector. With 64 bins the root of carbon with a price of 0.001 has 0.85 of the optimum, with all ends 0.99.

// out[bin][statistic][lane] = sums of the slots in a bin that have the feature of a lane; `lanes` of them.
void bin_sums(const Frame& frame, const std::uint64_t* masks, const std::uint8_t* bin, int n_slots, int bins,
              int lanes, double* out) {
    constexpr int kStatistics = 3;
    const std::size_t width = static_cast<std::size_t>(lanes), groups = (frame.stride + 63) / 64;
    for (std::size_t k = 0; k < static_cast<std::size_t>(bins) * kStatistics * width; ++k) out[k] = 0;
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(masks);
    for (std::size_t slot = 0; slot < static_cast<std::size_t>(n_slots); ++slot) {
        const unsigned char* own = bytes + slot * groups * 8;
        double* sums = out + static_cast<std::size_t>(bin[slot]) * kStatistics * width;
        AnyVec added[kStatistics];
        for (int c = 0; c < kStatistics; ++c) added[c] = AnyVec{} + frame.channels[c].values[slot];
        for (int lane = 0; lane < lanes; lane += kLanes<double>) {
            const unsigned bits = (static_cast<unsigned>(own[lane / 8]) >> (lane % 8)) &
                                  ((1u << kLanes<double>)-1);
            for (int c = 0; c < kStatistics; ++c) {
                double* at_lane = sums + static_cast<std::size_t>(c) * width + lane;
                Vec<double> sum = at(at_lane);
                add_masked(sum, bits, added[c]);
                at(at_lane) = sum;
            }
        }
    }
}

inline bool all_at_least(AnyVec values, double limit) {
#if STREED_VECTOR_BYTES == 64
    return _mm512_cmp_pd_mask(values, _mm512_set1_pd(limit), _CMP_LT_OQ) == 0;
#else
    for (int k = 0; k < kLanes<double>; ++k)
        if (values[k] < limit) return false;
    return true;
#endif
}

// One vector of lanes. `K` groups at most are told apart; best[end][k] is what the rows before an end cost in
// k groups, or those before the bin ahead of it, whose own rows are left out then.
template <int K>
void lane_group_costs(const GroupProblem& problem, int lane) {
    constexpr int kStatistics = 3;
    const std::size_t width = static_cast<std::size_t>(problem.lanes);
    AnyVec* prefix = static_cast<AnyVec*>(problem.room);
    AnyVec* best = prefix + kStatistics * (problem.bins + 1);
    const AnyVec zero{}, none = AnyVec{} + 1e300;
    AnyVec before[K + 1];
    for (int c = 0; c < kStatistics; ++c) prefix[c] = zero;
    for (int k = 0; k <= K; ++k) best[k] = before[k] = zero + k * problem.price;
    before[0] = none;
    for (int end = 1; end <= problem.bins; ++end) {
        AnyVec* upto = prefix + kStatistics * end;
        for (int c = 0; c < kStatistics; ++c)
            upto[c] = upto[c - kStatistics] +
                      at(problem.sums + (static_cast<std::size_t>(end - 1) * kStatistics + c) * width + lane);
        AnyVec own[K + 1];
        for (int k = 0; k <= K; ++k) own[k] = none;
        for (int begin = end - 1; begin >= 0; --begin) {
            const AnyVec* from = prefix + kStatistics * begin;
            const AnyVec sum = upto[1] - from[1];
            const AnyVec cost = larger_of(
                (upto[2] - from[2]) - sum * sum / (upto[0] - from[0]) * problem.factor, zero);
            if (all_at_least(cost, problem.limit)) break;  // more rows cost no less
            const AnyVec with_price = cost + problem.price;
            const AnyVec* ahead = best + (K + 1) * begin;
            for (int k = 1; k <= K; ++k) own[k] = smaller(own[k], ahead[k - 1] + with_price);
            if (problem.open) own[K] = smaller(own[K], ahead[K] + with_price);
        }
        AnyVec* found = best + (K + 1) * end;
        for (int k = 0; k <= K; ++k) {
            if (k > 0) own[k] = smaller(own[k], found[k - 1] + problem.price);  // none of its bins is whole
            found[k] = smaller(own[k], before[k]);
            before[k] = own[k];
        }
    }
    for (int k = 1; k <= K && k <= problem.groups; ++k)
        at(problem.costs + static_cast<std::size_t>(k - 1) * width + lane) = before[k];
}

void group_costs(const GroupProblem& problem) {
    for (int lane = 0; lane < problem.lanes; lane += kLanes<double>) {
        if (problem.groups <= 2)
            lane_group_costs<2>(problem, lane);
        else if (problem.groups <= 4)
            lane_group_costs<4>(problem, lane);
        else if (problem.groups <= 8)
            lane_group_costs<8>(problem, lane);
        else
            lane_group_costs<16>(problem, lane);
    }
}
