// The rows of one search node as a small dense problem of its own (kernels.hpp says why they are kept twice).
#pragma once

#include <cstdint>
#include <vector>

#include "data/aligned.hpp"
#include "data/problem.hpp"

namespace streed {

struct NodeSettings {
    const Kernels* kernels = nullptr;
    bool narrow_lanes = true;
    bool sparse_rows = true;
    int min_samples_leaf = 1;
    bool counted = false;  // a channel of row counts is wanted
    bool masked = false;   // real statistics are added up under masks (native/table.hpp), without matrices
};

// Sums of the first channels of a node over the rows that have a feature, [channel][lane of its parent].
struct KnownSums {
    const double* sums = nullptr;
    int channels = 0;
    std::size_t stride = 0;
};

// A number of a lane type.
double lane_value(Lane lane, const void* values, std::size_t at);
void set_lane_value(Lane lane, void* values, std::size_t at, double value);

class Node {
public:
    // The root of the search.
    void load(const ReducedProblem& problem, const NodeSettings& settings);
    // The child of `parent` on one side of the feature in `lane`; some of its sums may be known.
    void load_child(const Node& parent, int lane, bool side, const KnownSums& known = {});

    // Bits of the rows that go to one side of the feature in `lane`, and what rows given as bits cost without
    // benefit.
    void side_filter(int lane, bool side, std::uint64_t* out) const;
    double filter_potential(const std::uint64_t* filter) const;
    void positive_rows(std::uint64_t* out) const;  // weighted rows of two labels

    Frame frame() const;
    Frame weight_frame() const;  // of several values: the weights of the rows as its only channel
    const std::uint64_t* column(int lane) const {
        return columns_.as<std::uint64_t>() +
               static_cast<std::size_t>(lane) * static_cast<std::size_t>(words_);
    }

    // The same by rows, 64 lanes to a word, for the kernels of children and of native losses (turn_columns,
    // turn_columns_by_slot); made when first asked for, and known after that.
    const std::uint64_t* row_bits();
    const std::uint64_t* known_row_bits() const { return row_bits_.as<std::uint64_t>(); }
    std::size_t row_spacing() const { return 64 * static_cast<std::size_t>(words_); }

    int words() const { return words_; }
    int stride() const { return stride_; }
    int n_slots() const { return n_slots_; }
    int n_channels() const { return n_channels_; }
    int n_blocks() const { return static_cast<int>(blocks_.size()); }
    bool counting() const { return counting_; }
    // Slots that have a feature.
    int n_with(int lane) const { return with_[static_cast<std::size_t>(lane)]; }
    Lane lane_type() const { return lane_; }
    const std::vector<std::int32_t>& active() const { return active_; }
    int feature(int lane) const { return features_[static_cast<std::size_t>(lane)]; }  // of the root problem
    const std::int32_t* parent_lanes() const {
        return packed_ ? parent_lanes_.data() : nullptr;
    }  // null: the same
    int parent_lane(int lane) const { return packed_ ? parent_lanes_[static_cast<std::size_t>(lane)] : lane; }
    const std::vector<std::uint64_t>& valid() const { return valid_; }
    // Counting: slots with weight of their own, and whether there are others.
    const std::vector<std::uint64_t>& heavy() const { return heavy_; }
    bool has_light() const { return has_light_; }
    bool has_steps() const { return steps_ != nullptr; }
    const std::vector<std::uint32_t>& slots() const { return slots_; }  // weighted: those of the root problem
    double potential() const { return potential_; }                     // of all rows, as filter_potential
    double weight() const { return weight_; }                           // of all rows, several values only
    double rows() const { return rows_; }                               // of the problem
    const void* singles() const { return singles_.data(); }
    const void* totals() const { return totals_.data(); }
    double total(int channel) const;
    double single(int channel, int lane) const;
    std::size_t bytes() const;  // of all its buffers

    double column_sum(const Channel& channel, int lane) const;  // over the slots that have a feature

private:
    int lane_multiple() const;  // of the stride
    void select(const Node& parent, int lane, bool side);
    void choose_candidates(const Node& parent, int lane);
    void count_candidates(const Node& parent, int lane);
    void pack_columns(const Node& parent);
    void list_selected(const Node& parent);
    void copy_weighted_rows(const Node& parent);
    void set_sparse(std::size_t listed, int n_slots);
    void fill_matrices();
    void list_rows();
    void choose_lane_type();
    void sum_counts();
    void sum_weights(const KnownSums& known);
    void finish(const KnownSums& known);  // lane type, single sums, active features
    void set_single(int channel, int lane, double value);
    std::size_t plane_size() const { return 64 * static_cast<std::size_t>(words_); }
    const double* plane(int index) const {
        return planes_.data() + static_cast<std::size_t>(index) * plane_size();
    }
    // Whether the numbers of a plane are read: potentials only where leaves have benefits.
    bool has_plane(int index) const {
        return index <= count_plane_ || (index == n_planes_ - 1 ? weighed_ : traits_.benefit);
    }
    double sum(const Channel& channel) const {
        const std::size_t begin = static_cast<std::size_t>(channel.word_begin);
        const std::uint64_t* slots = valid_.data() + begin;
        return settings_.kernels->selected_sum(slots, slots, channel.word_end - channel.word_begin,
                                               channel.values + 64 * begin);
    }
    bool has_matrix(int index) const {
        return index < count_plane_ || (index == count_plane_ && counted_) ||
               (index == n_planes_ - 1 && weighed_);
    }
    char* matrix(int index);  // of a plane that has one

    NodeSettings settings_;
    bool counting_ = true;
    Storage storage_ = Storage::i8;
    Lane lane_ = Lane::i32;
    LeafTraits traits_;
    int n_values_ = 1, n_channels_ = 1;
    // Numbers of a weighted slot, [plane][slot]: its values, rows, potential and weight. Those that are added
    // up as row vectors, the first ones in this order, have a matrix each.
    int n_planes_ = 0, n_matrices_ = 0, count_plane_ = 0;
    bool weighed_ = false;  // the weights are read
    bool counted_ = false;  // has a channel of row counts
    bool has_light_ = false;
    bool packed_ = false;                  // lanes were renumbered when the node was loaded
    const double* scale_ = nullptr;        // counting: weights of the rows of each block
    const std::int32_t* steps_ = nullptr;  // counting a difference: what they add to it
    double largest_value_ = 1;
    int words_ = 0, stride_ = 0, n_slots_ = 0;
    double potential_ = 0, weight_ = 0, rows_ = 0;
    std::vector<Block> blocks_;
    std::vector<std::int32_t> features_, active_, idle_, candidates_, parent_lanes_;
    std::vector<std::uint64_t> valid_, selected_;
    std::vector<std::uint64_t> heavy_;  // counting: slots with weight of their own
    std::vector<std::uint32_t> slots_;
    std::vector<std::uint32_t> chosen_;  // slots of the parent that were selected
    std::vector<std::int32_t>
        counts_;  // [candidate], or [candidate][block] when counting: slots that have it
    std::vector<std::int32_t> all_counts_;    // counting: the same of a parent's lanes
    std::vector<std::int32_t> with_;          // [lane]
    std::vector<const std::uint64_t*> from_;  // pack_columns
    std::vector<std::uint64_t*> to_;
    AlignedBuffer columns_, singles_, totals_, plan_, row_bits_;
    bool has_row_bits_ = false;
    // Weighted rows only.
    std::vector<Channel> channels_;
    std::vector<std::uint32_t> row_begin_, row_lanes_;
    std::vector<std::uint8_t> listed_without_;
    bool sparse_ = false;  // slots have lists instead of matrices
    bool masked_ = false;  // real statistics of a leaf function: neither matrices nor lists, but masks
                           // (native/table.hpp)
    Channel weight_channel_{};
    std::vector<double> planes_;
    AlignedBuffer matrices_, indices_;
};

}  // namespace streed
