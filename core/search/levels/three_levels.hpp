// Nodes with three levels left: their children are pair problems, known or solved at once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "search/bounds/similarity.hpp"
#include "search/caches/known_children.hpp"
#include "search/pairs/pair_solver.hpp"
#include "search/screen/screen.hpp"
#include "search/thread_state.hpp"

namespace streed {

class ThreeLevels {
public:
    ThreeLevels(ThreadState& thread, PairSolver& pairs, SimilarityBounds& similarity, KnownChildren& known)
        : thread_(thread), search_(thread.search), pairs_(pairs), similarity_(similarity), known_(known) {}

    // Before the first feature of a node.
    bool can_fuse(const Node& node) const;
    void begin_fused(Level& at);
    void begin_screen(Level& at) { screen_.begin(at); }
    void push_known(Level& at);
    // One feature, whose children are recorded or not.
    void try_kept_pairs(Level& at, int lane);
    void try_pairs(Level& at, int lane);
    ChildBenefits both_benefits(const Level& at, int lane, bool with_two);

private:
    bool solve_missing(Level& at, int lane, char* const known[2]);
    bool solve_screened(Level& at, int lane, char* const known[2]);
    double label_weight(const void* sums, const Node& node, std::size_t lane) const;
    ChildBenefits both_scaled(const Level& at, int lane, bool with_two);
    ChildBenefits solve_children(const Level& at, int lane, Lane type, const char* table, const void* singles,
                                 std::array<int, 2> totals, const LeafModel& model, bool with_two);
    void solve_both(Level& at, int lane, char* const known[2]);
    bool find_pairs(const Level& at, int lane, bool side, double value[4]);
    void solve_child_pairs(Level& at, int lane, bool side, bool small_side, double value[4]);

    ThreadState& thread_;
    Search& search_;
    PairSolver& pairs_;
    SimilarityBounds& similarity_;
    KnownChildren& known_;
    Screen screen_{thread_};
    AlignedBuffer children_, other_singles_;
    std::vector<std::uint64_t> filter_;  // rows of the smaller child
};

}  // namespace streed
