// The table of bounds by row set: growing, finding, and counting its memory.
#include "priced/memo.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "priced/hash.hpp"

namespace streed::priced {
namespace {

constexpr std::size_t kChunkWords = 1 << 16;

template <class Visit>
void each_row(const Rows& rows, const std::uint64_t* mask, Visit visit) {
    if (mask == nullptr) {
        for (std::size_t r = 0; r < rows.ids.size(); ++r) visit(r);
        return;
    }
    for (int c = 0, begin = 0, row = 0; c < 2; begin += rows.words[c], row += rows.n[c], ++c)
        for (int w = 0; w < rows.words[c]; ++w)
            for (std::uint64_t rest = mask[begin + w]; rest != 0; rest &= rest - 1)
                visit(static_cast<std::size_t>(row + 64 * w + std::countr_zero(rest)));
}

}  // namespace

void MemoKey::make(const Rows& rows, const std::uint64_t* mask, std::size_t n_root_rows) {
    std::size_t n = rows.ids.size();
    const std::uint32_t* ids = rows.ids.data();
    if (mask != nullptr) {
        if (ids_.size() < n) ids_.resize(n);
        std::uint32_t* out = ids_.data();
        each_row(rows, mask, [&](std::size_t r) { *out++ = ids[r]; });
        n = static_cast<std::size_t>(out - ids_.data());
        ids = ids_.data();
    }
    const std::size_t as_bits = (n_root_rows + 31) / 32;
    const bool narrow = n_root_rows <= 0x10000;
    if (as_bits < (narrow ? (n + 1) / 2 : n)) {
        key_.assign(1 + as_bits, 0);
        std::uint32_t at = 0, word = 0;  // positions rise: a word is put together in a register
        for (std::size_t k = 0; k < n; ++k) {
            if (ids[k] / 32 != at) {
                key_[1 + at] = word;
                at = ids[k] / 32;
                word = 0;
            }
            word |= 1u << (ids[k] % 32);
        }
        key_[1 + at] = word;
    } else if (narrow) {
        key_.resize(1 + (n + 1) / 2);
        std::size_t k = 0;
        for (; k + 2 <= n; k += 2) key_[1 + k / 2] = ids[k] | ids[k + 1] << 16;
        if (k < n) key_[1 + k / 2] = ids[k];
    } else {
        key_.resize(1);
        key_.insert(key_.end(), ids, ids + n);
    }
    key_[0] = static_cast<std::uint32_t>(n);
    if (!rows.merged) return;
    key_[0] |= 0x80000000u;
    const auto width = static_cast<std::size_t>(rows.n_values);
    each_row(rows, mask, [&](std::size_t r) {
        const std::size_t at = key_.size();
        key_.resize(at + 2 * width);
        std::memcpy(key_.data() + at, rows.row_values(static_cast<int>(r)), 8 * width);
    });
    key_.insert(key_.end(), rows.features.begin(), rows.features.end());
}

std::size_t Memo::find(const Rows& rows, const std::uint64_t* mask, MemoKey& buffer) {
    buffer.make(rows, mask, n_root_rows_);
    const std::vector<std::uint32_t>& key = buffer.words();
    std::uint64_t hash = kHashSeed;
    std::size_t w = 0;
    for (; w + 2 <= key.size(); w += 2)
        hash = mix(hash, key[w] | static_cast<std::uint64_t>(key[w + 1]) << 32);
    if (w < key.size()) hash = mix(hash, key[w]);
    const auto lock = locked();
    for (std::size_t at = hash & (index_.size() - 1);; at = (at + 1) & (index_.size() - 1)) {
        if (index_[at] == 0) {
            Entry entry;
            entry.hash = hash;
            entry.size = static_cast<std::uint32_t>(key.size());
            entry.key = keep_key(key);
            entries_.push_back(entry);
            index_[at] = static_cast<std::uint32_t>(entries_.size());
            if (2 * entries_.size() > index_.size()) grow();
            count_bytes();
            return entries_.size() - 1;
        }
        const Entry& known = entries_[index_[at] - 1];
        if (known.hash != hash || known.size != key.size() ||
            std::memcmp(known.key, key.data(), 4 * key.size()) != 0)
            continue;
        ++hits_;
        return index_[at] - 1;
    }
}

const std::uint32_t* Memo::keep_key(const std::vector<std::uint32_t>& key) {
    if (used_ + key.size() > room_) {
        room_ = std::max(kChunkWords, key.size());
        chunks_.emplace_back(new std::uint32_t[room_]);
        chunk_bytes_ += 4 * room_;
        used_ = 0;
    }
    std::uint32_t* at = chunks_.back().get() + used_;
    std::memcpy(at, key.data(), 4 * key.size());
    used_ += key.size();
    return at;
}

void Memo::narrow(std::size_t entry, double lower, double upper) {
    const auto lock = locked();
    Entry& known = entries_[entry];
    known.lower = std::max(known.lower, lower);
    known.upper = std::min(known.upper, upper);
}

void Memo::store(std::size_t entry, double lower, double upper, std::int32_t feature) {
    const auto lock = locked();
    Entry& known = entries_[entry];
    known.lower = std::max(known.lower, lower);
    if (upper > known.upper || (upper == known.upper && known.feature != kUnknown)) return;
    known.upper = upper;
    known.feature = feature;
}

void Memo::grow() {
    index_.assign(2 * index_.size(), 0);
    for (std::size_t k = 0; k < entries_.size(); ++k) {
        std::size_t at = entries_[k].hash & (index_.size() - 1);
        while (index_[at] != 0) at = (at + 1) & (index_.size() - 1);
        index_[at] = static_cast<std::uint32_t>(k + 1);
    }
}

}  // namespace streed::priced
