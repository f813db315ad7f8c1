// Pseudo-random numbers that are the same on every machine (splitmix64: Steele, Lea and Flood 2014).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace streed {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // from 0 to below 1
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(unit() * static_cast<double>(n)); }
    double exponential(double mean) { return -mean * std::log(1 - unit()); }

private:
    std::uint64_t state_;
};

}  // namespace streed
