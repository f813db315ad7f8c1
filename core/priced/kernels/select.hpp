// Bits of chosen rows and of whole columns.

// The bits of a word at the places of a mask, moved together. Without `pext` by the six steps of Hacker's
// Delight (section 7-4), whose masks all features of a word share.
struct Extract {
    explicit Extract(std::uint64_t the_mask) : mask(the_mask) {
#if !defined(__BMI2__)
        std::uint64_t m = mask, zeros = ~m << 1;
        for (int step = 0; step < 6; ++step) {
            std::uint64_t p = zeros ^ (zeros << 1);
            p ^= p << 2;
            p ^= p << 4;
            p ^= p << 8;
            p ^= p << 16;
            p ^= p << 32;
            moved[step] = p & m;
            m = (m ^ moved[step]) | (moved[step] >> (1 << step));
            zeros &= ~p;
        }
#endif
    }

    std::uint64_t operator()(std::uint64_t word) const {
#if defined(__BMI2__)
        return _pext_u64(word, mask);
#else
        word &= mask;
        for (int step = 0; step < 6; ++step) {
            const std::uint64_t t = word & moved[step];
            word = (word ^ t) | (t >> (1 << step));
        }
        return word;
#endif
    }

    std::uint64_t mask;
#if !defined(__BMI2__)
    std::uint64_t moved[6];
#endif
};

template <class Lane>
inline void append_word(const std::uint64_t* in, const Extract& extract, int count, int offset, int n,
                        std::uint64_t* out, int out_stride, Lane lane) {
    if (offset == 0) {
        for (int f = 0; f < n; ++f) out[f] = extract(in[lane(f)]);
        for (int f = n; f < out_stride; ++f) out[f] = 0;
    } else if (offset + count <= 64) {
        for (int f = 0; f < n; ++f) out[f] |= extract(in[lane(f)]) << offset;
    } else {
        std::uint64_t* next = out + out_stride;
        for (int f = 0; f < n; ++f) {
            const std::uint64_t bits = extract(in[lane(f)]);
            out[f] |= bits << offset;
            next[f] = bits >> (64 - offset);
        }
        for (int f = n; f < out_stride; ++f) next[f] = 0;
    }
}

void select_rows(const std::uint64_t* in, int in_stride, int words, const std::uint64_t* mask,
                 const std::int32_t* keep, int n, std::uint64_t* out, int out_stride) {
    int offset = 0;
    for (int w = 0; w < words; ++w, in += in_stride) {
        const int count = count_bits(mask[w]);
        if (count == 0) continue;
        const Extract extract(mask[w]);
        if (keep == nullptr)
            append_word(in, extract, count, offset, n, out, out_stride, [](int f) { return f; });
        else
            append_word(in, extract, count, offset, n, out, out_stride, [keep](int f) { return keep[f]; });
        offset += count;
        if (offset >= 64) {
            offset -= 64;
            out += out_stride;
        }
    }
}

void count_columns(const std::uint64_t* bits, int stride, int words, int n, std::int32_t* counts) {
    for (int w = 0; w < words; ++w, bits += stride)
        for (int f = 0; f < n; ++f) counts[f] += count_bits(bits[f]);
}

void hash_columns(const std::uint64_t* bits, int stride, int words, int n, const std::uint64_t* valid,
                  std::uint64_t* hashes) {
    for (int f = 0; f < n; ++f) hashes[f] = 0x9E3779B97F4A7C15ull;
    for (int w = 0; w < words; ++w)
        for (int f = 0; f < n; ++f) {
            const std::uint64_t word = (bits[static_cast<long>(w) * stride + f] ^ -(bits[f] & 1)) & valid[w];
            const std::uint64_t hash = (hashes[f] ^ word) * 0x9FB21C651E98DF25ull;
            hashes[f] = hash ^ (hash >> 32);
        }
}
