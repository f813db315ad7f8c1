// What is known of the children of nodes with three levels left, one record per node (records.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "search/caches/cache.hpp"

namespace streed {

// A record holds a number for every literal: twice the value of the child on that side of that feature, plus
// one if the value is exact and not only a lower bound. Of two numbers of a child the larger one is the
// better bound.
class ChildRecords {
public:
    using Number = std::int64_t;
    using Record = std::byte;
    static constexpr Number kNothing = INT64_MIN;

    // `most` is no less than any value; `shared` by several threads.
    ChildRecords(run::Memory& memory, std::size_t literals, double most, bool shared);
    ~ChildRecords() { clear(); }

    // While it lives no record is given back. One thread needs no lock.
    class Reading {
    public:
        explicit Reading(ChildRecords& records) : lock_(records.mutex_, std::defer_lock) {
            records.acquire(lock_);
        }

    private:
        std::shared_lock<std::shared_mutex> lock_;
    };

    // The nodes whose path is `path` without its k-th literal, and one literal more.
    class Siblings {
    public:
        Record* find(int literal) const;

    private:
        friend class ChildRecords;
        const ChildRecords* records_ = nullptr;
        Record* const* slots_ = nullptr;  // [literal], or null where paths are hashed
        PathKeyMaker prefix_;
    };
    Siblings siblings(const std::vector<int>& path, std::size_t k) const;

    // Records of long paths are found by a hash: where a node has few rows, looking for those of its siblings
    // takes longer than counting its rows (half of the time of yeast at depth 8). Slots from which on they
    // are asked.
    bool hashed(std::size_t path_length) const { return path_length > most_literals_; }
    static constexpr int kLeastHashed = 200;

    Number load(const Record* record, int literal) const;
    void prefetch(const Record* record, int literal) const {
        __builtin_prefetch(record + static_cast<std::size_t>(literal - 1) * number_bytes());
    }
    void raise(Record* record, int literal, Number number) const;

    // The record of the node with this path; makes room for it by giving back all others if it must. Nothing
    // if that does not help. The caller must not be reading.
    bool make(const std::vector<int>& path);
    Record* find(const std::vector<int>& path) const;

    void shrink();  // gives all records back if the memory limit is passed
    std::size_t size() const { return records_.size(); }

private:
    // Locks if threads share the records. They are held for microseconds, so a thread looks again and again
    // before it sleeps: with two threads diabetes at depth 5 takes 58 ms instead of 64 (104 with one).
    template <class Lock>
    void acquire(Lock& lock) const {
        constexpr int kLooks = 1000;  // tens of microseconds; a lock is held for the copy of one record
        if (!shared_) return;
        for (int look = 0; look < kLooks; ++look) {
            if (lock.try_lock()) return;
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        }
        lock.lock();
    }

    // Slot arrays by path without one literal take literals^n words where paths have n literals; beyond so
    // many paths are hashed. 64 MB: depth 5 with up to 1,400 features, depth 6 with up to 100.
    static constexpr double kMostSlots = 0x1p23;

    struct Hash {
        std::size_t operator()(const PathKey& key) const {
            const std::uint64_t h = (key.low ^ (key.high * 0x9e3779b97f4a7c15ull)) * 0xd6e8feb86659fd93ull;
            return static_cast<std::size_t>(h ^ (h >> 32));
        }
    };
    std::size_t number_bytes() const { return wide_ ? 8 : 4; }
    std::size_t bytes_for(const std::vector<int>& path) const;
    void add(const std::vector<int>& path);
    void clear();

    run::Memory& memory_;
    std::size_t literals_;
    bool wide_, shared_;
    std::size_t most_literals_ = 0;  // of a path that is not hashed
    std::shared_mutex mutex_;
    std::size_t taken_ = 0;
    Record* root_ = nullptr;  // of the node without a path
    std::vector<std::unique_ptr<Record[]>> records_;
    std::unordered_map<PathKey, std::unique_ptr<Record*[]>, Hash> slots_;  // by path without one literal
    std::unordered_map<PathKey, Record*, Hash> nodes_;                     // by path, where it is hashed
};

}  // namespace streed
