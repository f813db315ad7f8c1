// The bits of selected rows brought together. Part of kernels/body.hpp.

inline std::uint64_t extract(std::uint64_t bits, std::uint64_t mask) {
#if defined(__BMI2__)
    return _pext_u64(bits, mask);
#else
    std::uint64_t out = 0;
    for (int k = 0; mask != 0; ++k, mask &= mask - 1) out |= ((bits >> __builtin_ctzll(mask)) & 1ull) << k;
    return out;
#endif
}

// Branch-free: the word under construction is stored every time and left behind when it is full. Writes at
// most one word beyond the packed bits, which the caller fills afterwards or does not use.
void compress(const std::uint64_t* column, const std::uint64_t* selected, int words, std::uint64_t* out) {
    std::uint64_t word = 0;
    unsigned shift = 0;
    for (int w = 0; w < words; ++w) {
        const std::uint64_t bits = extract(column[w], selected[w]);
        word |= bits << shift;
        *out = word;
        const std::uint64_t carry = (bits >> 1) >> (63 - shift);
        shift += static_cast<unsigned>(count_bits(selected[w]));
        word = shift >= 64 ? carry : word;
        out += shift >= 64;
        shift %= 64;
    }
    *out = word;
}

// How the words of a filter are packed, worked out once for all columns; words without rows are left out.
struct PackedWord {
    std::uint64_t selected;
    std::uint32_t from;   // the word in the column
    std::uint32_t shift;  // bits that the word under construction has already
    bool full;            // the word under construction is full after this one
    bool complete;        // and nothing is left for the next one
};
static_assert(sizeof(PackedWord) <= kPlanBytes);

inline int plan_packing(const std::uint64_t* filter, int words, PackedWord* plan) {
    unsigned shift = 0;
    int steps = 0;
    for (int w = 0; w < words; ++w) {
        const unsigned next = shift + static_cast<unsigned>(count_bits(filter[w]));
        plan[steps] = {filter[w], static_cast<std::uint32_t>(w), shift, next >= 64, next % 64 == 0};
        steps += filter[w] != 0;
        shift = next % 64;
    }
    return steps;
}

// Several columns at a time: the steps of one column depend on each other, those of different columns do not,
// and all of them take the same branches.
template <int Columns>
inline void pack_columns(const std::uint64_t* const* column, const PackedWord* plan, int steps,
                         std::uint64_t* const* out) {
    std::uint64_t word[Columns] = {};
    std::size_t at = 0;
    for (int k = 0; k < steps; ++k) {
        const PackedWord step = plan[k];
        if (!step.full) {
            for (int c = 0; c < Columns; ++c)
                word[c] |= extract(column[c][step.from], step.selected) << step.shift;
        } else {
            for (int c = 0; c < Columns; ++c) {
                const std::uint64_t bits = extract(column[c][step.from], step.selected);
                out[c][at] = word[c] | (bits << step.shift);
                word[c] = (bits >> 1) >> (63 - step.shift);
            }
            ++at;
        }
    }
    if (steps > 0 && !plan[steps - 1].complete)
        for (int c = 0; c < Columns; ++c) out[c][at] = word[c];
}

template <int Columns>
inline void pack_groups(const std::uint64_t* const* columns, int n, const PackedWord* plan, int steps,
                        std::uint64_t* const* out) {
    int k = 0;
    for (; k + Columns <= n; k += Columns) pack_columns<Columns>(columns + k, plan, steps, out + k);
    for (; k < n; ++k) pack_columns<1>(columns + k, plan, steps, out + k);
}

void compress_columns(const std::uint64_t* const* columns, int n, const std::uint64_t* selected, int words,
                      void* plan, std::uint64_t* const* out) {
    PackedWord* packing = static_cast<PackedWord*>(plan);
    const int steps = plan_packing(selected, words, packing);
    pack_groups<4>(columns, n, packing, steps, out);
}

// The filtered rows of one block, all features: bits[i * step ...], zero for features that are not active.
inline void pack_block(const Frame& frame, const Block& block, const PackedWord* plan, int steps,
                       std::uint64_t* bits, std::size_t step) {
    constexpr int kColumns = 4;
    const std::uint64_t* from[kColumns];
    std::uint64_t* to[kColumns];
    for (int a = 0; a < frame.n_active; a += kColumns) {
        const int count = frame.n_active - a < kColumns ? frame.n_active - a : kColumns;
        for (int c = 0; c < count; ++c) {
            const std::size_t i = static_cast<std::size_t>(frame.active[a + c]);
            from[c] = frame.columns + i * static_cast<std::size_t>(frame.words) + block.word_begin;
            to[c] = bits + i * step;
        }
        pack_groups<kColumns>(from, count, plan, steps, to);
    }
    const std::size_t used = frame.n_active == 0
                                 ? 0
                                 : static_cast<std::size_t>(frame.active[frame.n_active - 1]) + 1;
    for (int k = 0; k < frame.n_idle && static_cast<std::size_t>(frame.idle[k]) < used; ++k)
        for (std::size_t w = 0; w < step; ++w) bits[static_cast<std::size_t>(frame.idle[k]) * step + w] = 0;
    __builtin_memset(bits + used * step, 0, (static_cast<std::size_t>(frame.stride) - used) * step * 8);
}
