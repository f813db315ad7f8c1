// The search over row sets: values, bounds and limits are in ticks, whole numbers in doubles.
#pragma once

#include <memory>
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
    const Level* parent = nullptr;
    int parent_lane = 0, side = 0;
};

struct Counters {
    std::size_t nodes = 0, tables = 0, pruned = 0, pruned_at_once = 0, certificates = 0;
};

class Search : public run::Control {
public:
    Search(Root& root, const Kernels& kernels, const Options& options, const Techniques& techniques,
           run::Clock::time_point started);

    // Searches the root; `status()` says how it ended.
    void search_root();
    Tree rebuild();

    double lower() const { return top_->lower + top_->offset; }
    double upper() const { return top_->upper + top_->offset; }
    const Level& top() const { return *top_; }
    Statistics statistics() const;

private:
    // Raises `at.lower` until it is exact or no less than `room` (search.cpp).
    void solve(Level& at, int depth, double room);
    bool known(Level& at, double room);
    void expand(Level& at);
    void own_bounds(Level& at) const;
    int choose(Level& at, double target) const;
    void finish(Level& at);
    // Both children of a feature in turns (children.cpp).
    void solve_children(Level& at, int depth, int lane, double room);
    void build(const Level& at, int lane, int side, Level& child);
    double preview(const Level& at, int lane, int side);
    void improve(Level& at, int lane);
    // A first tree (greedy.cpp).
    void greedy(Level& at, int depth);
    // Bounds from prices of rows, once they are certified (leaf_prices.cpp has the prices).
    void use_prices(Level& at);
    void certify(Level& at);
    // The tree of a node that costs `at.upper` (rebuild.cpp).
    void append(Level& at, int depth, Tree& tree);
    void recall(Level& at, bool table);

    Level& level(int depth, int side);
    void look_up(std::size_t wanted);
    bool halted() const { return stopped() || paused_; }
    Progress shown() const;
    std::size_t bytes() const {
        return level_bytes_ + memo_.bytes() + prices_.bytes() + 8 * root_.packed.size();
    }
    double apart() const {
        return techniques_.missing_leaf ? root_.branch : std::numeric_limits<double>::infinity();
    }

    Root& root_;
    const Kernels& kernels_;
    const Techniques& techniques_;
    Reducer reducer_;
    Memo memo_;
    LeafPrices prices_;
    std::vector<std::unique_ptr<Level>> levels_[2];
    Level* top_ = nullptr;
    bool rebuilding_ = false;
    bool searching_ = false;   // after the greedy tree
    bool paused_ = false;      // the search goes back to the root, to look for prices of rows
    double work_ = 0;          // about processor cycles, without those for prices of rows
    double next_certificate_;  // of `work_`
    std::size_t level_bytes_ = 0;
    Counters counters_;
    std::vector<std::uint64_t> mask_;
    std::vector<std::int32_t> keep_, lane_of_;
    std::vector<double> column_prices_;
};

}  // namespace streed::priced
