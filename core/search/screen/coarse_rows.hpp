// The rows of a node on a coarse grid, for estimates of squared errors (screen.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/aligned.hpp"
#include "data/node.hpp"

namespace streed {

// A slot is the number n * 2^shift + q: n its rows, q its sum about the mean of the node on a grid. Of no set
// of slots do the numbers q add up to 2^(shift - 1).
class CoarseRows {
public:
    // False where estimates would not pay. `grown` counts bytes; the table is left to be filled.
    bool load(const Node& node, std::size_t& grown);

    ChainRows rows(const Node& node, std::uint32_t* indices, void* room) const;
    std::int32_t* table() { return table_.as<std::int32_t>(); }
    const std::int32_t* table() const { return table_.as<std::int32_t>(); }
    std::int32_t single(int lane) const { return table()[static_cast<std::size_t>(lane) * (pitch_ + 1)]; }
    std::int32_t total() const { return total_; }
    std::size_t pitch() const { return pitch_; }
    int shift() const { return shift_; }
    double scale() const { return scale_; }  // grid points per unit of the node's sums
    double mean() const { return mean_; }
    // The sum over slots of (q less its number before it was rounded)^2 / n, or more.
    double rounded() const { return rounded_; }
    std::size_t table_bytes(const Node& node) const {
        return 4 * pitch_ * (static_cast<std::size_t>(node.stride()) + 1);
    }

private:
    bool find_chains(const Node& node);
    void find_entries(const Node& node);
    bool round_sums(const Node& node);

    AlignedBuffer values_, table_;
    std::vector<Chain> chains_;
    std::vector<std::uint32_t> entry_;
    std::size_t pitch_ = 0;
    int shift_ = 0;
    std::int32_t total_ = 0;
    double scale_ = 0, mean_ = 0, rounded_ = 0;
};

}  // namespace streed
