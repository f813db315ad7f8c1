// A fast hash of words. Equal hashes are never taken for equality: entries found by hash are compared.
#pragma once

#include <cstdint>

namespace streed::priced {

constexpr std::uint64_t kHashSeed = 0x9E3779B97F4A7C15ull;

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    const auto product = static_cast<unsigned __int128>(hash ^ word) * 0x9FB21C651E98DF25ull;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^
           0x2545F4914F6CDD1Dull;
}

}  // namespace streed::priced
