// Values of subproblems (paper, "Caching": by branch and by data set). Keys are exact and compared, never
// hashes alone: a hash that is equal by chance would make a wrong value look proven. Problems with two levels
// left are many and small, so they have fixed keys of sixteen bytes, the sorted path; larger ones have their
// row set where that is short, which different paths share.
#include "search/caches/cache.hpp"

#include <algorithm>

namespace streed {

void PathKeyMaker::assign(const int* literals, int n) {
    size_ = n;
    if (size_ > kMaxLiterals) {
        size_ = kMaxLiterals;  // no child fits
        return;
    }
    std::copy(literals, literals + n, sorted_.begin());
    std::sort(sorted_.begin(), sorted_.begin() + size_);
}

// Worked example: path {3, 9} and literal 5 give the digits 3, 5, 9 in base 2^15 above the node budget.
PathKey PathKeyMaker::child(int literal, int nodes) const {
    PathKey key{0, static_cast<std::uint64_t>(nodes) + 1};
    int shift = 8;
    const auto put = [&](int digit) {
        const std::uint64_t bits = static_cast<std::uint64_t>(digit);
        if (shift < 64) {
            key.low |= bits << shift;
            if (shift > 49) key.high |= bits >> (64 - shift);
        } else {
            key.high |= bits << (shift - 64);
        }
        shift += 15;
    };
    int k = 0;
    while (k < size_ && sorted_[static_cast<std::size_t>(k)] < literal)
        put(sorted_[static_cast<std::size_t>(k++)]);
    put(literal);
    while (k < size_) put(sorted_[static_cast<std::size_t>(k++)]);
    return key;
}

namespace {
std::uint64_t hash_key(const PathKey& key) {
    std::uint64_t h = (key.low ^ (key.high * 0x9e3779b97f4a7c15ull)) * 0xd6e8feb86659fd93ull;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    return h ^ (h >> 29);
}
}  // namespace

class PathTable::Lock {
public:
    explicit Lock(Shard& shard) : shard_(shard) {
        while (shard_.busy.test_and_set(std::memory_order_acquire))
            while (shard_.busy.test(std::memory_order_relaxed)) {
            }
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() { shard_.busy.clear(std::memory_order_release); }

private:
    Shard& shard_;
};

PathTable::~PathTable() {
    for (Shard& shard : shards_) memory_.give(shard.entries.size() * sizeof(Entry));
}

std::optional<double> PathTable::find(const PathKey& key) {
    const std::uint64_t h = hash_key(key);
    Shard& shard = shards_[h % kShards];
    const Lock lock(shard);
    if (shard.entries.empty()) return std::nullopt;
    const std::size_t mask = shard.entries.size() - 1;
    for (std::size_t at = (h >> 6) & mask;; at = (at + 1) & mask) {
        const Entry& entry = shard.entries[at];
        if (entry.key == key) return entry.value;
        if (entry.key == PathKey{}) return std::nullopt;
    }
}

// The two values may be of different moments; a wrong address costs nothing but the hint.
void PathTable::prefetch(const PathKey& key) const {
    const std::uint64_t h = hash_key(key);
    const Shard& shard = shards_[h % kShards];
    const Entry* first = shard.first.load(std::memory_order_relaxed);
    if (first != nullptr)
        __builtin_prefetch(reinterpret_cast<const char*>(first) +
                           ((h >> 6) & shard.mask.load(std::memory_order_relaxed)) * sizeof(Entry));
}

void PathTable::grow(Shard& shard) {
    const std::size_t size = shard.entries.empty() ? 16 : 2 * shard.entries.size();
    const std::size_t bytes = size * sizeof(Entry);
    if (!memory_.fits(bytes)) return;
    memory_.take(bytes);
    std::vector<Entry> entries(size, Entry{});
    for (const Entry& entry : shard.entries) {
        if (entry.key == PathKey{}) continue;
        std::size_t at = (hash_key(entry.key) >> 6) & (size - 1);
        while (!(entries[at].key == PathKey{})) at = (at + 1) & (size - 1);
        entries[at] = entry;
    }
    memory_.give(shard.entries.size() * sizeof(Entry));
    shard.entries.swap(entries);
    shard.first.store(shard.entries.data(), std::memory_order_relaxed);
    shard.mask.store(size - 1, std::memory_order_relaxed);
}

void PathTable::insert(const PathKey& key, double value) {
    const std::uint64_t h = hash_key(key);
    Shard& shard = shards_[h % kShards];
    const Lock lock(shard);
    if (shard.used * 3 >= shard.entries.size() * 2) grow(shard);
    if (shard.entries.empty()) return;
    const std::size_t mask = shard.entries.size() - 1;
    std::size_t at = (h >> 6) & mask;
    const bool full = shard.used * 3 >= shard.entries.size() * 2;
    if (!full) {
        while (!(shard.entries[at].key == PathKey{}) && !(shard.entries[at].key == key)) at = (at + 1) & mask;
        if (shard.entries[at].key == PathKey{}) ++shard.used;
    } else if (shard.entries[at].key == PathKey{}) {
        return;  // an empty home slot must stay empty while the table cannot grow
    }
    shard.entries[at] = {key, value};
}

void PathTable::shrink() {
    for (Shard& shard : shards_) {
        if (!memory_.exceeded()) return;
        const Lock lock(shard);
        shard.first.store(nullptr, std::memory_order_relaxed);
        memory_.give(shard.entries.size() * sizeof(Entry));
        std::vector<Entry>().swap(shard.entries);
        shard.used = 0;
    }
}

std::size_t PathTable::size() const {
    std::size_t n = 0;
    for (const Shard& shard : shards_) n += shard.used;
    return n;
}

std::optional<CacheEntry> SubproblemCache::find(const std::string& key) {
    Shard& at = shard(key);
    const std::lock_guard lock(at.mutex);
    const auto it = at.entries.find(key);
    if (it == at.entries.end()) return std::nullopt;
    return it->second;
}

void SubproblemCache::store(const std::string& key, const CacheEntry& entry) {
    Shard& at = shard(key);
    const std::size_t bytes = key.size() + sizeof(CacheEntry) + 96;
    const std::lock_guard lock(at.mutex);
    const auto it = at.entries.find(key);
    if (it != at.entries.end()) {
        // An exact value stays; of two bounds the stronger one does.
        if (!it->second.exact && (entry.exact || entry.value > it->second.value)) it->second = entry;
        return;
    }
    if (!memory_.fits(bytes)) {  // start anew: recent subproblems are met again sooner than old ones
        memory_.overflow();
        clear(at);
        if (!memory_.fits(bytes)) return;
    }
    memory_.take(bytes);
    at.bytes += bytes;
    at.entries.emplace(key, entry);
}

void SubproblemCache::clear(Shard& at) {
    memory_.give(at.bytes);
    at.bytes = 0;
    at.entries.clear();
}

void SubproblemCache::shrink() {
    for (Shard& at : shards_) {
        if (!memory_.exceeded()) return;
        const std::lock_guard lock(at.mutex);
        clear(at);
    }
}

std::size_t SubproblemCache::size() const {
    std::size_t n = 0;
    for (const Shard& at : shards_) {
        const std::lock_guard lock(at.mutex);
        n += at.entries.size();
    }
    return n;
}

}  // namespace streed
