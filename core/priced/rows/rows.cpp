// The rows of a node and of its children as dense bits, compacted by the features that remain.
#include "priced/rows/rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace streed::priced {

std::uint64_t Rows::valid(int word) const {
    const int block = word < words[0] ? 0 : 1, left = n[block] - 64 * (block == 0 ? word : word - words[0]);
    return left >= 64 ? ~0ull : (1ull << left) - 1;
}

std::size_t Rows::bytes() const {
    return buffer.capacity() + 4 * (features.capacity() + ids.capacity()) +
           8 * (values.capacity() + prices.capacity());
}

void Rows::allocate() {
    for (int c = 0; c < 2; ++c) words[c] = (n[c] + 63) / 64;
    stride = std::max(1, (n_features + kLaneBlock - 1) / kLaneBlock) * kLaneBlock;
    buffer.reserve((static_cast<std::size_t>(n_words()) + 1) * stride * 8);
}

double Rows::leaf() const {
    if (n_values == 0) return std::min(n[0], n[1]);
    std::vector<double> sums(static_cast<std::size_t>(n_values));
    for (int r = 0; r < n[0]; ++r)
        for (int k = 0; k < n_values; ++k) sums[static_cast<std::size_t>(k)] += row_values(r)[k];
    return *std::min_element(sums.begin(), sums.end() - 1);
}

void side_mask(const Rows& rows, int lane, int side, std::vector<std::uint64_t>& mask) {
    mask.resize(static_cast<std::size_t>(rows.n_words()));
    for (int w = 0; w < rows.n_words(); ++w) {
        const std::uint64_t bits = rows.bit(w, lane);
        mask[static_cast<std::size_t>(w)] = side == 1 ? bits : ~bits & rows.valid(w);
    }
}

void select_rows(const Rows& from, const std::vector<std::uint64_t>& mask,
                 const std::vector<std::int32_t>& keep, const Kernels& kernels, Rows& to) {
    to.n_features = static_cast<int>(keep.size());
    to.n_values = from.n_values;
    to.merged = from.merged;
    to.ids.clear();
    to.values.clear();
    to.prices.clear();
    for (int c = 0, begin = 0, row = 0; c < 2; begin += from.words[c], row += from.n[c], ++c) {
        const std::size_t before = to.ids.size();
        for (int w = 0; w < from.words[c]; ++w)
            for (std::uint64_t rest = mask[static_cast<std::size_t>(begin + w)]; rest != 0;
                 rest &= rest - 1) {
                const int r = row + 64 * w + std::countr_zero(rest);
                to.ids.push_back(from.ids[static_cast<std::size_t>(r)]);
                if (!from.prices.empty()) to.prices.push_back(from.prices[static_cast<std::size_t>(r)]);
                if (from.n_values > 0)
                    to.values.insert(to.values.end(), from.row_values(r), from.row_values(r) + from.n_values);
            }
        to.n[c] = static_cast<int>(to.ids.size() - before);
    }
    to.allocate();
    const bool all = to.n_features == from.n_features;
    for (int c = 0; c < 2; ++c) {
        const int in = c == 0 ? 0 : from.words[0], out = c == 0 ? 0 : to.words[0];
        kernels.select_rows(from.bits() + static_cast<std::size_t>(in) * from.stride, from.stride,
                            from.words[c], mask.data() + in, all ? nullptr : keep.data(), to.n_features,
                            to.bits() + static_cast<std::size_t>(out) * to.stride, to.stride);
    }
    to.features.resize(keep.size());
    for (std::size_t k = 0; k < keep.size(); ++k)
        to.features[k] = from.features[static_cast<std::size_t>(keep[k])];
}

void select_features(const Rows& from, const std::vector<std::int32_t>& keep, Rows& to) {
    to.n_features = static_cast<int>(keep.size());
    to.n_values = from.n_values;
    to.merged = from.merged;
    to.n[0] = from.n[0];
    to.n[1] = from.n[1];
    to.ids = from.ids;
    to.values = from.values;
    to.prices = from.prices;
    to.allocate();
    to.features.resize(keep.size());
    for (std::size_t k = 0; k < keep.size(); ++k)
        to.features[k] = from.features[static_cast<std::size_t>(keep[k])];
    for (int w = 0; w < from.n_words(); ++w) {
        const std::uint64_t* in = from.bits() + static_cast<std::size_t>(w) * from.stride;
        std::uint64_t* out = to.bits() + static_cast<std::size_t>(w) * to.stride;
        for (int k = 0; k < to.n_features; ++k) out[k] = in[keep[static_cast<std::size_t>(k)]];
        std::fill(out + to.n_features, out + to.stride, 0);
    }
}

}  // namespace streed::priced
