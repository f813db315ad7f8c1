// Where groups of equal values end in an order, and where they turn. Included by kernels/body.hpp.
//
// A group turns unless it and the next one are single rows of one label: sums are extreme at turns only. With
// the bits "ends" and "has label 0" of the rows p - 1, p and p + 1, row p turns if it ends a group and not
// both its neighbours do and it has the label of the next one.

template <class Entry>
int mark_ends_of(Entry* order, int n_rows, int n_first, int* turns) {
    const std::uint32_t first = static_cast<std::uint32_t>(n_first);
    order[n_rows] = order[n_rows - 1] ^ (kEnd<Entry> - (Entry{1} << kHalf<Entry>));
    int ends = 0;
    for (int p = 0; p < n_rows; ++p) {
        const Entry here = order[p] & ~(kEnd<Entry> | kTurn<Entry>);
        const int end = ((here ^ order[p + 1]) & ~kEnd<Entry>) >> kHalf<Entry> != 0;
        ends += end;
        order[p] = here | (static_cast<Entry>(end) << (2 * kHalf<Entry> - 1));
    }
    if (turns == nullptr) return ends;
    // Bits are set a block at a time, after the ends around them were read: a loop that does both in one is
    // not vectorised.
    constexpr int kRows = 256;
    order[n_rows] = ~Entry{0};
    int turning = 0;
    for (int from = 0; from < n_rows; from += kRows) {
        const int n = n_rows - from < kRows ? n_rows - from : kRows;
        const Entry* block = order + from;
        Entry turn[kRows];
        for (int k = 0; k < n; ++k) {
            const Entry singles = block[k] & block[k + 1];
            const Entry same = (row_of(block[k]) < first) == (row_of(block[k + 1]) < first) ? kEnd<Entry>
                                                                                            : Entry{0};
            turn[k] = block[k] & kEnd<Entry> & ~(singles & same);
        }
        const Entry before = from > 0 ? block[-1] : Entry{0};
        turn[0] |= block[0] & kEnd<Entry> & ~before;
        for (int k = 1; k < n; ++k) turn[k] |= block[k] & kEnd<Entry> & ~block[k - 1];
        for (int k = 0; k < n; ++k) {
            order[from + k] |= turn[k] >> kHalf<Entry>;
            turning += turn[k] != 0;
        }
    }
    *turns = turning;
    return ends;
}

#if STREED_VECTOR_BYTES == 64

// 16 rows at a time, with the bits of all of them in a word: the other loop took 12 to 16 per cent of a
// search (bank and wilt at depth 4).
int mark_ends_of(std::uint32_t* order, int n_rows, int n_first, int* turns) {
    const __m512i first = _mm512_set1_epi32(n_first), rows = _mm512_set1_epi32(0x7fff),
                  values = _mm512_set1_epi32(0x7fff0000), end = _mm512_set1_epi32(INT32_MIN),
                  turn = _mm512_set1_epi32(0x8000);
    order[n_rows] = order[n_rows - 1] ^ 0x7fff0000u;
    const auto ends_from = [&](int p) {
        const __m512i differ = _mm512_xor_si512(_mm512_loadu_si512(order + p),
                                                _mm512_loadu_si512(order + p + 1));
        return static_cast<std::uint32_t>(_mm512_test_epi32_mask(differ, values) & first_lanes(n_rows - p));
    };
    const auto label_zero_from = [&](int p) {
        const __m512i row = _mm512_and_si512(_mm512_loadu_si512(order + p), rows);
        return static_cast<std::uint32_t>(_mm512_cmplt_epi32_mask(row, first));
    };
    int n_ends = 0, n_turns = 0;
    std::uint32_t ends = ends_from(0), zero = label_zero_from(0), before = 0;
    for (int p = 0; p < n_rows; p += 16) {
        const bool more = p + 16 < n_rows;
        const std::uint32_t next_ends = more ? ends_from(p + 16) : 0,
                            next_zero = more ? label_zero_from(p + 16) : 0;
        const std::uint32_t after = ends >> 1 | next_ends << 15,
                            differs = zero ^ (zero >> 1 | next_zero << 15),
                            turning = ends & (~(ends << 1 | before) | ~after | differs);
        const __m512i plain = _mm512_and_si512(_mm512_loadu_si512(order + p), _mm512_or_si512(rows, values));
        const __m512i ended = _mm512_mask_or_epi32(plain, static_cast<__mmask16>(ends), plain, end);
        _mm512_mask_storeu_epi32(
            order + p, first_lanes(n_rows - p),
            turns == nullptr ? ended
                             : _mm512_mask_or_epi32(ended, static_cast<__mmask16>(turning), ended, turn));
        n_ends += __builtin_popcount(ends);
        n_turns += __builtin_popcount(turning);
        before = ends >> 15;
        ends = next_ends;
        zero = next_zero;
    }
    if (turns != nullptr) *turns = n_turns;
    return n_ends;
}

#endif

int mark_ends(void* order, bool wide, int n_rows, int n_first, int* turns) {
    return wide ? mark_ends_of(static_cast<std::uint64_t*>(order), n_rows, n_first, turns)
                : mark_ends_of(static_cast<std::uint32_t*>(order), n_rows, n_first, turns);
}
