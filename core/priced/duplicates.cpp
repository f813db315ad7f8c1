// Columns that agree, or differ, in all rows of a node split it in the same way: the first one stays.
#include <algorithm>

#include "hash.hpp"
#include "reduction.hpp"

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
    hashes_.clear();
    for (const std::int32_t f : keep) {
        std::uint64_t hash = kHashSeed;
        const std::uint64_t turned = turn(rows, f);
        for (int w = 0; w < rows.n_words(); ++w) hash = mix(hash, (rows.bit(w, f) ^ turned) & rows.valid(w));
        hashes_.emplace_back(hash, f);
    }
    std::sort(hashes_.begin(), hashes_.end());
    keep.clear();
    for (std::size_t begin = 0, k = 0; k < hashes_.size(); ++k) {
        if (hashes_[k].first != hashes_[begin].first) begin = k;
        bool seen = false;  // among those of the same hash
        for (std::size_t other = begin; other < k && !seen; ++other)
            seen = same(rows, hashes_[other].second, hashes_[k].second);
        if (!seen) keep.push_back(hashes_[k].second);
    }
    std::sort(keep.begin(), keep.end());
}

}  // namespace streed::priced
