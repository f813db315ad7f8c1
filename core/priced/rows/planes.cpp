// When values of rows are counted as planes of bits, and the planes of a node.
#include "priced/rows/planes.hpp"

#include <algorithm>
#include <bit>

namespace streed::priced {
namespace {

// Set bits of all values, per row and value, up to which planes are less work than masked adds. Two labels
// with random weights of up to 3, 15, 255, 4095 and 65535 have 0.7 to 5.3; vehicle takes 0.32, 0.43, 0.53,
// 0.69 and 0.83 of the time of masked adds.
constexpr double kMostBits = 6;

}  // namespace

bool Planes::split(const Rows& rows, const Kernels& kernels) {
    const auto m = static_cast<std::size_t>(rows.n_values), n = static_cast<std::size_t>(rows.n_rows()),
               words = static_cast<std::size_t>(rows.n_words());
    double largest = 0;
    for (std::size_t r = 0; r < n; ++r) largest = std::max(largest, rows.values[r * m + m - 1]);
    const auto depth = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(largest)));
    masks_.assign(m * depth * words, 0);
    double set = 0;
    const auto add = [&](std::size_t value, std::size_t r, std::uint64_t number) {
        for (; number != 0; number &= number - 1, ++set) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(number));
            masks_[(value * depth + bit) * words + r / 64] |= 1ull << (r % 64);
        }
    };
    for (std::size_t r = 0; r < n; ++r) {
        const double* values = rows.values.data() + r * m;
        const auto weight = static_cast<std::uint64_t>(values[m - 1]);
        add(0, r, weight);
        for (std::size_t v = 0; v + 1 < m; ++v) add(v + 1, r, weight - static_cast<std::uint64_t>(values[v]));
        if (set > kMostBits * static_cast<double>(n * m)) return false;
    }
    planes_.clear();
    end_.clear();
    std::size_t held = 0;
    for (std::size_t v = 0; v < m; ++v) {
        for (std::size_t bit = 0; bit < depth; ++bit) {
            const std::uint64_t* mask = masks_.data() + (v * depth + bit) * words;
            const int count = kernels.count_and(mask, mask, static_cast<int>(words));
            if (count == 0) continue;
            planes_.push_back({static_cast<int>(bit), count});
            held += static_cast<std::size_t>((count + 63) / 64);
        }
        end_.push_back(static_cast<int>(planes_.size()));
    }
    const std::size_t row = static_cast<std::size_t>(rows.stride) * 8;
    bits_.reserve((held + 1) * row);
    chunks_.reserve((held + 1) * row + (planes_.size() + 16) * sizeof(void*));
    std::uint64_t* out = bits_.as<std::uint64_t>();
    for (std::size_t v = 0, p = 0; v < m; ++v)
        for (std::size_t bit = 0; p < static_cast<std::size_t>(end_[v]); ++bit) {
            if (static_cast<int>(bit) != planes_[p].shift) continue;
            kernels.select_rows(rows.bits(), rows.stride, static_cast<int>(words),
                                masks_.data() + (v * depth + bit) * words, nullptr, rows.n_features, out,
                                rows.stride);
            out += static_cast<std::size_t>((planes_[p++].n + 63) / 64) *
                   static_cast<std::size_t>(rows.stride);
        }
    return true;
}

void Planes::sum(const Rows& rows, const Kernels& kernels, std::int32_t* sums) {
    const PlaneFrame frame = {bits_.as<std::uint64_t>(),
                              rows.stride,
                              rows.n_features,
                              rows.n_values,
                              planes_.data(),
                              end_.data(),
                              chunks_.data()};
    kernels.sum_planes(frame, sums);
}

}  // namespace streed::priced
