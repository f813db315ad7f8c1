// The rows of one search node as a small dense problem of its own (kernels.hpp says why they are kept twice).
#pragma once

#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "problem.hpp"

namespace streed {

struct NodeSettings {
    const Kernels* kernels = nullptr;
    bool narrow_lanes = true;
    int min_samples_leaf = 1;
};

class Node {
public:
    // The root of the search.
    void load(const ReducedProblem& problem, const NodeSettings& settings);
    // The child of `parent` on one side of the feature in `lane`.
    void load_child(const Node& parent, int lane, bool side);

    // Bits of the rows that go to one side of the feature in `lane`.
    void side_filter(int lane, bool side, std::uint64_t* out) const;

    Frame frame() const;
    const std::uint64_t* column(int lane) const {
        return columns_.as<std::uint64_t>() + static_cast<std::size_t>(lane) * static_cast<std::size_t>(words_);
    }

    int words() const { return words_; }
    int stride() const { return stride_; }
    int n_slots() const { return n_slots_; }
    int n_channels() const { return static_cast<int>(channels_.size()); }
    Lane lane_type() const { return lane_; }
    const std::vector<std::int32_t>& active() const { return active_; }
    int feature(int lane) const { return features_[static_cast<std::size_t>(lane)]; }  // of the root problem
    const std::vector<std::uint64_t>& valid() const { return valid_; }
    const std::vector<std::uint64_t>& positive() const { return positive_; }  // rows with positive value
    const std::vector<double>& weights() const { return weights_; }
    const std::vector<std::uint32_t>& slots() const { return slots_; }  // of the root problem
    double weight() const { return weight_; }                           // of all rows
    double rows() const { return rows_; }                               // of the unmerged problem
    const void* singles() const { return singles_.data(); }
    const void* totals() const { return totals_.data(); }
    double total(int channel) const;
    double single(int channel, int lane) const;
    bool unit_weights() const { return unit_weights_; }
    std::size_t bytes() const { return bytes_; }

private:
    void list_rows();
    void finish();  // channels, lane type, single sums, active features

    NodeSettings settings_;
    Storage storage_ = Storage::i8;
    Lane lane_ = Lane::i32;
    LeafKind kind_ = LeafKind::signed_difference;
    int n_values_ = 1;
    bool counted_ = false;  // has a channel of row counts
    bool unit_weights_ = true;
    double largest_value_ = 1;
    int words_ = 0, stride_ = 0, n_slots_ = 0;
    double weight_ = 0, rows_ = 0;
    std::size_t bytes_ = 0;
    std::vector<Block> blocks_;
    std::vector<Channel> channels_;
    std::vector<std::int32_t> features_, active_, candidates_;
    std::vector<std::uint64_t> valid_, positive_, selected_;
    std::vector<std::uint32_t> slots_, row_begin_, row_lanes_;
    std::vector<std::uint8_t> listed_without_;
    std::vector<double> weights_, values_, counts_;
    AlignedBuffer columns_, matrix_, count_matrix_, singles_, totals_, scratch_;
};

}  // namespace streed
