// Columns that agree, or differ, in all rows of a node split it in the same way: the first one stays.

#include "priced/rows/reduction.hpp"

namespace streed::priced {
namespace {

// Columns are compared as if their first row did not have the feature.
std::uint64_t turn(const Rows& rows, int lane) { return (rows.bit(0, lane) & 1) != 0 ? ~0ull : 0; }

bool same(const Rows& rows, int f, int g) {
    const std::uint64_t differ = turn(rows, f) ^ turn(rows, g);
    for (int w = 0; w < rows.n_words(); ++w)
        if (((rows.bit(w, f) ^ rows.bit(w, g) ^ differ) & rows.valid(w)) != 0) return false;
    return true;
}

}  // namespace

void Reducer::distinct(const Rows& rows, std::vector<std::int32_t>& keep) {
    if (rows.n_words() == 0 || keep.size() < 2) return;
    valid_.resize(static_cast<std::size_t>(rows.n_words()));
    for (int w = 0; w < rows.n_words(); ++w) valid_[static_cast<std::size_t>(w)] = rows.valid(w);
    hashes_.resize(static_cast<std::size_t>(rows.stride));
    kernels_.hash_columns(rows.bits(), rows.stride, rows.n_words(), rows.n_features, valid_.data(),
                          hashes_.data());
    std::size_t size = 64;
    while (size < 2 * keep.size()) size *= 2;
    seen_.assign(size, -1);
    std::size_t kept = 0;
    for (const std::int32_t f : keep) {
        const std::uint64_t hash = hashes_[static_cast<std::size_t>(f)];
        std::size_t at = hash & (size - 1);
        const auto equal = [&](std::int32_t g) {
            return hashes_[static_cast<std::size_t>(g)] == hash && same(rows, g, f);
        };
        while (seen_[at] >= 0 && !equal(seen_[at])) at = (at + 1) & (size - 1);
        if (seen_[at] >= 0) continue;
        seen_[at] = f;
        keep[kept++] = f;
    }
    keep.resize(kept);
}

}  // namespace streed::priced
