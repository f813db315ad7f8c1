// The table of subproblems over thresholds: entries by row set, with their memory counted.
#include "thresholds/search/cache.hpp"

namespace streed::thresholds {
namespace {

// Of an entry beside its key, with the table's own links.
constexpr std::size_t kEntryBytes = 160;

// Of a node of a plan, with what the allocator and the count of its owners take.
constexpr std::size_t kPlanBytes = sizeof(Plan) + 32;

std::size_t plan_bytes(const Plan* plan) {
    return plan == nullptr ? 0
                           : kPlanBytes + plan_bytes(plan->side[0].get()) + plan_bytes(plan->side[1].get());
}

// Plans that several entries share are counted with each of them: the count is never too low.
std::size_t entry_bytes(const Cache::Key& key, const Outcome& outcome) {
    return kEntryBytes + 4 * key.size() + plan_bytes(outcome.plan.get());
}

}  // namespace

bool Cache::find(const Key& key, Outcome& out) const {
    const auto at = entries_.find(key);
    if (at == entries_.end()) return false;
    out = at->second;
    return true;
}

std::ptrdiff_t Cache::store(const Key& key, const Outcome& outcome) {
    const std::size_t bytes = entry_bytes(key, outcome);
    std::ptrdiff_t grown = 0;
    if (limit_ != 0 && bytes_ + bytes > limit_) {
        grown -= static_cast<std::ptrdiff_t>(bytes_);
        entries_.clear();
        bytes_ = 0;
        if (bytes > limit_) return grown;
    }
    const auto [at, fresh] = entries_.try_emplace(key, outcome);
    Outcome& known = at->second;
    std::size_t before = 0;
    if (!fresh) {
        before = entry_bytes(key, known);
        if (known.exact || (!outcome.exact && outcome.value <= known.value)) return grown;
        const Cost relaxed = std::max(known.relaxed, outcome.relaxed);
        known = outcome;
        known.relaxed = relaxed;
    }
    bytes_ += bytes - before;
    return grown + static_cast<std::ptrdiff_t>(bytes - before);
}

std::ptrdiff_t Cache::absorb(Cache& other) {
    std::ptrdiff_t grown = -static_cast<std::ptrdiff_t>(other.bytes_);
    for (const auto& [key, outcome] : other.entries_) grown += store(key, outcome);
    other.entries_.clear();
    other.bytes_ = 0;
    return grown;
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
