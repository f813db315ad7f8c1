#include "cache.hpp"

namespace streed::thresholds {
namespace {

// Of an entry beside its key, with the table's own links.
constexpr std::size_t kEntryBytes = 160;

}  // namespace

bool Cache::find(const Key& key, Outcome& out) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = entries_.find(key);
    if (at == entries_.end()) return false;
    out = at->second;
    return true;
}

std::ptrdiff_t Cache::store(const Key& key, const Outcome& outcome) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t bytes = kEntryBytes + 4 * key.size();
    std::ptrdiff_t grown = 0;
    if (limit_ != 0 && bytes_ + bytes > limit_) {
        grown -= static_cast<std::ptrdiff_t>(bytes_);
        entries_.clear();
        bytes_ = 0;
        if (bytes > limit_) return grown;
    }
    const auto [at, fresh] = entries_.try_emplace(key, outcome);
    if (fresh) {
        bytes_ += bytes;
        return grown + static_cast<std::ptrdiff_t>(bytes);
    }
    Outcome& known = at->second;
    if (!known.exact && (outcome.exact || outcome.value > known.value)) {
        const Cost relaxed = std::max(known.relaxed, outcome.relaxed);
        known = outcome;
        known.relaxed = relaxed;
    }
    return grown;
}

std::size_t Cache::size() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return entries_.size();
}

void make_key(const Node& node, const Node& root, int depth, int nodes, Cache::Key& key) {
    key.clear();
    key.push_back(static_cast<std::uint32_t>(depth));
    key.push_back(static_cast<std::uint32_t>(nodes));
    const std::size_t words = (static_cast<std::size_t>(root.size()) + 31) / 32;
    if (words <= 2 * static_cast<std::size_t>(root.n_columns())) {
        key.resize(2 + words, 0);
        for (int row = 0; row < node.size(); ++row)
            key[2 + node.roots()[row] / 32] |= 1u << (node.roots()[row] % 32);
        return;
    }
    for (int j = 0; j < root.n_columns(); ++j) {
        const bool constant = node.constant(j);
        const std::uint32_t first = constant ? 0 : node.row_at(j, 0),
                            last = constant ? 0 : node.row_at(j, node.size() - 1);
        key.push_back(static_cast<std::uint32_t>(root.rank_of(j, node.roots()[first])));
        key.push_back(static_cast<std::uint32_t>(root.rank_of(j, node.roots()[last])));
    }
}

}  // namespace streed::thresholds
