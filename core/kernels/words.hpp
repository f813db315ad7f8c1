// Words of bits. Part of the bodies of kernels.
inline int count_bits(std::uint64_t word) { return __builtin_popcountll(word); }

// Position of the lowest set bit; anything for zero.
inline std::uint32_t lowest_bit(std::uint64_t bits) {
#if defined(__BMI__)
    return static_cast<std::uint32_t>(_tzcnt_u64(bits));
#else
    return static_cast<std::uint32_t>(__builtin_ctzll(bits | (1ull << 63)));
#endif
}

// Slots of the set bits, written four at a time without a branch per bit (as simdjson flattens its bit maps).
// The empty asm keeps the compiler from gathering the stores into vectors, which is several times slower.
inline int decode(std::uint64_t bits, std::uint32_t slot, std::uint32_t* out) {
    const int count = count_bits(bits);
    for (int done = 0; done < count; done += 4) {
        for (int k = 0; k < 4; ++k) {
            out[done + k] = slot + lowest_bit(bits);
            bits &= bits - 1;
            asm volatile("" ::: "memory");
        }
    }
    return count;
}

int count_and(const std::uint64_t* a, const std::uint64_t* b, int words) {
    int count = 0;
    for (int w = 0; w < words; ++w) count += count_bits(a[w] & b[w]);
    return count;
}
