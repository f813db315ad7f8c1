// The search over row sets: values, bounds and limits are in ticks, whole numbers in doubles.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "priced/memo.hpp"
#include "priced/priced.hpp"
#include "priced/prices/leaf_prices.hpp"
#include "priced/rows/reduction.hpp"
#include "priced/table.hpp"
#include "run/control.hpp"

namespace streed::priced {

// Prices of rows are looked for after this much work, about processor cycles, and again when there is so many
// times more. They may take this share of it in all, more where the search is long. Where they are of no use
// a search takes up to 1.7 times as long (splice-1 at .01 three times); anneal at .01 takes .4 s instead
// of 3.6, yeast at .02 1.2 s instead of 3.5. Also looking for prices of nodes below the root, after 2e6 to
// 2e8 cycles in one of them, gained nothing on heart-cleveland, vehicle and ionosphere.
constexpr double kFirstCertificate = 5e7, kNextCertificate = 1.5, kEffortShare = 0.5;
constexpr double kLongWork = 3e9, kLongEffortShare = 2;
constexpr double kEarlyEffort = 1e8;  // where they come first

constexpr std::size_t kNoEntry = static_cast<std::size_t>(-1);

// A node on the path of the search, and its sibling: one pair of them per level, reused.
struct Level {
    std::unique_ptr<Rows> rows = std::make_unique<Rows>();
    std::unique_ptr<PairTable> table;
    Bounds bounds;           // of its children
    std::vector<char> done;  // features whose children are both solved
    double offset = 0;       // cost of the rows that were merged when it was made; all else is without it
    double unpaid = 0;  // of these rows and of those that were merged at the nodes above (rows/reduction.hpp)
    double leaf = 0, lower = 0, upper = 0;
    std::int32_t feature = kLeaf;  // the split of a tree that costs `upper`
    bool expanded = false;         // the pair table and the bounds are there
    bool exact = false;            // lower == upper
    std::size_t entry = kNoEntry;  // of the memo
    Level* parent = nullptr;
    int parent_lane = 0, side = 0;
    bool shared = false;      // the root, searched by several threads
    std::vector<char> taken;  // features that a thread is at
    mutable std::mutex mutex;
};

struct Counters {
    std::size_t nodes = 0, tables = 0, pruned = 0, certificates = 0;

    void add(const Counters& other) {
        nodes += other.nodes;
        tables += other.tables;
        pruned += other.pruned;
        certificates += other.certificates;
    }
};

// What the threads of a search share. The root is a level of its own: threads take its features one by one,
// under its lock.
class Search : public run::Control {
public:
    Search(Root& the_root, const Kernels& the_kernels, const Options& the_options,
           const Techniques& the_techniques, run::Clock::time_point started);

    double lower() const { return top.lower + top.offset; }
    double upper() const { return top.upper + top.offset; }
    Statistics statistics() const;
    bool halted() const { return stopped() || paused.load(std::memory_order_relaxed); }
    void add_cycles(double more) {
        if (shared())
            cycles_.fetch_add(more, std::memory_order_relaxed);
        else
            cycles_.store(cycles() + more, std::memory_order_relaxed);
    }
    double cycles() const { return cycles_.load(std::memory_order_relaxed); }
    bool shared() const { return options.n_threads > 1; }
    std::size_t bytes() const {
        return level_bytes.load(std::memory_order_relaxed) + memo.bytes() + prices.bytes() +
               8 * root.packed.size();
    }

    Root& root;
    const Kernels& kernels;
    const Techniques& techniques;
    Memo memo;
    LeafPrices prices;
    Level top;
    Counters counters;                // of workers that are gone
    bool searching = false;           // after the greedy tree
    bool building = false;            // the search is over and its tree is built: no limit ends that
    std::atomic<bool> paused{false};  // the search goes back to the root, to look for prices of rows
    double next_certificate;          // of `cycles`
    std::atomic<std::size_t> level_bytes{0};

private:
    Progress shown();

    std::atomic<double> cycles_{0};  // of the processor, about, without those for prices of rows
};

// Locks the root where threads share it.
class SharedLock {
public:
    explicit SharedLock(Level& at) : mutex_(at.shared ? &at.mutex : nullptr) {
        if (mutex_ != nullptr) mutex_->lock();
    }
    SharedLock(const SharedLock&) = delete;
    SharedLock& operator=(const SharedLock&) = delete;
    ~SharedLock() {
        if (mutex_ != nullptr) mutex_->unlock();
    }

private:
    std::mutex* mutex_;
};

// One thread's walk down from the root.
class Worker {
public:
    Worker(Search& search, bool calling);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Searches the root; `search.status()` says how it ended.
    void search_root();
    // The tree of the root. That of a proven value depends on the rows alone (rebuild.cpp).
    Tree rebuild(bool proven);

private:
    // Raises `at.lower` until it is exact or no less than `room` (search.cpp).
    void solve(Level& at, int depth, double room);
    bool known(Level& at, double room);
    bool begin(Level& at, double room);
    void expand(Level& at);
    void own_bounds(Level& at) const;
    int choose(Level& at, double target) const;
    void finish(Level& at);
    // The root by several threads (share.cpp).
    void share(Level& at);
    void take_features(Level& at);
    // Both children of a feature in turns (children.cpp).
    void solve_children(Level& at, int depth, int lane, double room);
    void build(Level& at, int lane, int side, Level& child);
    double preview(Level& at, int lane, int side);
    void improve(Level& at, int lane);
    // A first tree (greedy.cpp).
    void greedy(Level& at, int depth);
    // Bounds from prices of rows, once they are certified (leaf_prices.cpp has the prices).
    void use_prices(Level& at);
    void certify(Level& at);
    // The tree of a node that costs `at.upper` (rebuild.cpp).
    void append(Level& at, int depth, Tree& tree);
    void recall(Level& at, bool table);
    void pick(Level& at, int depth);

    Level& level(int depth, int side);
    void look_up(std::size_t wanted);
    bool halted() const { return !finishing_ && search_.halted(); }
    double apart() const {
        return techniques_.missing_leaf ? root_.branch : std::numeric_limits<double>::infinity();
    }

    Search& search_;
    const bool calling_;
    Root& root_;
    const Kernels& kernels_;
    const Techniques& techniques_;
    Memo& memo_;
    Reducer reducer_;
    MemoKey key_;
    std::vector<std::unique_ptr<Level>> levels_[2];  // below the root
    bool proven_ = false;                            // the tree of a proven value is built, and
    bool finishing_ = false;                         // it is built to the end though a limit was reached
    Counters counters_;
    std::vector<std::uint64_t> mask_;
    std::vector<std::int32_t> keep_, lane_of_;
    std::vector<double> column_prices_;
};

}  // namespace streed::priced
