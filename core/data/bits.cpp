// Packing, transposing and comparing bit tables, 64 rows or features at a time.
#include "data/bits.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>

namespace streed {
namespace {

std::uint64_t mix(std::uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    return h ^ (h >> 32);
}

std::uint64_t hash_words(const std::uint64_t* words, std::size_t n) {
    std::uint64_t h = n;
    for (std::size_t w = 0; w < n; ++w) h = mix(h ^ words[w]) + 0x9e3779b97f4a7c15ull;
    return h;
}

// Transposes squares of `size` x `size` bits (a power of two): bits [g * size, (g + 1) * size) of the first
// `size` words are square g. Swaps halves, then quarters, and so on.
void transpose_squares(std::uint64_t* m, unsigned size) {
    std::uint64_t mask = ~0ull;
    for (unsigned width = 32; width != 0; width >>= 1) {
        mask ^= mask << width;
        if (width >= size) continue;
        for (unsigned k = 0; k < size; k = ((k | width) + 1) & ~width) {
            const std::uint64_t swap = ((m[k] >> width) ^ m[k | width]) & mask;
            m[k] ^= swap << width;
            m[k | width] ^= swap;
        }
    }
}

}  // namespace

// Rows as bits, `width` words each. Eight bytes of zeros and ones become eight bits by one multiplication,
// which gathers bit k of byte k in the highest byte.
Words pack_rows(const std::uint8_t* features, std::size_t n_rows, std::size_t n_features, std::size_t width) {
    Words packed(n_rows * width);
    const std::size_t whole = n_features / 8;
    for (std::size_t r = 0; r < n_rows; ++r) {
        const std::uint8_t* row = features + r * n_features;
        std::uint64_t* out = packed.data() + r * width;  // there may be no feature at all
        for (std::size_t k = 0; k < whole; ++k) {
            std::uint64_t bytes;
            std::memcpy(&bytes, row + 8 * k, 8);
            out[k / 8] |= ((bytes * 0x0102040810204080ull) >> 56) << (8 * (k % 8));
        }
        for (std::size_t f = 8 * whole; f < n_features; ++f)
            out[f / 64] |= static_cast<std::uint64_t>(row[f]) << (f % 64);
    }
    return packed;
}

// Bit columns of all rows from the packed rows, 64 rows at a time. Where there are few features the rows
// stand side by side in a word.
Words transpose(const Words& packed, std::size_t n_rows, std::size_t n_features, std::size_t width,
                std::size_t words) {
    Words columns(n_features * words);
    const unsigned size = n_features <= 16 ? 16 : n_features <= 32 ? 32 : 64;
    std::uint64_t square[64];
    for (std::size_t w = 0; w < words; ++w) {
        const std::size_t rows = std::min<std::size_t>(64, n_rows - std::min(n_rows, 64 * w));
        for (std::size_t c = 0; c < width; ++c) {
            const std::uint64_t* from = packed.data() + 64 * w * width + c;
            for (std::size_t k = 0; k < size; ++k) square[k] = k < rows ? from[k * width] : 0;
            for (std::size_t k = size; k < rows; ++k)
                square[k % size] |= from[k * width] << (k / size * size);
            transpose_squares(square, size);
            for (std::size_t k = 0; k < 64 && 64 * c + k < n_features; ++k)
                columns[(64 * c + k) * words + w] = square[k];
        }
    }
    return columns;
}

Words ordered_columns(const Words& packed, std::size_t width, std::size_t n_features,
                      const std::vector<std::int32_t>& kept, const std::vector<std::uint32_t>& order) {
    const std::size_t words = (order.size() + 63) / 64;
    Words rows(order.size() * width);
    for (std::size_t k = 0; k < order.size(); ++k)
        if (order[k] != kNoRow) std::copy_n(packed.data() + order[k] * width, width, rows.data() + k * width);
    const Words all = transpose(rows, order.size(), n_features, width, words);
    Words columns(kept.size() * words);
    for (std::size_t f = 0; f < kept.size(); ++f)
        std::copy_n(all.data() + static_cast<std::size_t>(kept[f]) * words, words,
                    columns.data() + f * words);
    return columns;
}

// Columns that can matter: a constant never splits, and of equal or opposite columns the first does for all,
// unless they belong to attributes with prices of their own. Columns are compared in the polarity in which
// the first row has a zero.
std::vector<std::int32_t> informative_features(const Words& columns, std::size_t n_rows,
                                               std::size_t n_features, std::size_t words, bool drop,
                                               const std::int32_t* attribute) {
    std::vector<std::int32_t> kept;
    const std::uint64_t tail = n_rows % 64 == 0 ? ~0ull : (1ull << (n_rows % 64)) - 1;
    std::unordered_multimap<std::uint64_t, std::size_t> seen;
    Words normal(words);
    for (std::size_t f = 0; f < n_features; ++f) {
        if (drop) {
            const std::uint64_t* column = &columns[f * words];
            const std::uint64_t flip = (column[0] & 1) ? ~0ull : 0ull;
            std::uint64_t any = 0;
            for (std::size_t w = 0; w < words; ++w) {
                normal[w] = (column[w] ^ flip) & (w + 1 == words ? tail : ~0ull);
                any |= normal[w];
            }
            if (any == 0) continue;
            const std::uint64_t h = hash_words(normal.data(), words);
            bool known = false;
            auto [it, last] = seen.equal_range(h);
            for (; it != last && !known; ++it) {
                const std::uint64_t* other = &columns[it->second * words];
                const std::uint64_t other_flip = (other[0] & 1) ? ~0ull : 0ull;
                known = attribute == nullptr || attribute[f] == attribute[it->second];
                for (std::size_t w = 0; w < words && known; ++w)
                    known = ((other[w] ^ other_flip) & (w + 1 == words ? tail : ~0ull)) == normal[w];
            }
            if (known) continue;
            seen.emplace(h, f);
        }
        kept.push_back(static_cast<std::int32_t>(f));
    }
    return kept;
}

// group[r] = number of the first row with the same kept features, in order of appearance.
std::size_t group_rows(const Words& packed, std::size_t n, std::size_t width,
                       const std::vector<std::int32_t>& kept, bool merge, std::vector<std::uint32_t>& group,
                       std::vector<std::uint32_t>& first) {
    group.resize(n);
    if (!merge) {
        first.resize(n);
        for (std::size_t r = 0; r < n; ++r) group[r] = first[r] = static_cast<std::uint32_t>(r);
        return n;
    }
    Words mask(width);
    for (const std::int32_t f : kept) mask[static_cast<std::size_t>(f) / 64] |= 1ull << (f % 64);
    const auto same = [&](std::size_t a, std::size_t b) {
        for (std::size_t w = 0; w < width; ++w)
            if ((packed[a * width + w] ^ packed[b * width + w]) & mask[w]) return false;
        return true;
    };
    std::size_t capacity = 64;
    while (capacity < 2 * n) capacity *= 2;
    constexpr std::uint32_t empty = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> table(capacity, empty);
    Words row(width);
    for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t w = 0; w < width; ++w) row[w] = packed[r * width + w] & mask[w];
        std::size_t at = hash_words(row.data(), width) & (capacity - 1);
        while (table[at] != empty && !same(first[table[at]], r)) at = (at + 1) & (capacity - 1);
        if (table[at] == empty) {
            table[at] = static_cast<std::uint32_t>(first.size());
            first.push_back(static_cast<std::uint32_t>(r));
        }
        group[r] = table[at];
    }
    return first.size();
}

}  // namespace streed
