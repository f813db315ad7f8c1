// Weighted rows of a node: their numbers, and either vectors or lists of the features they have.
//
// A row vector has the number of a row in the lane of every feature that the row has: pair tables are then
// sums of whole vectors. Where rows have few features most of that would be adding zeros, and lists win.
#include <algorithm>
#include <bit>

#include "data/node.hpp"

namespace streed {
namespace {

// Slots with so small a part of the features are added up pair by pair: a quarter, an eighth of narrower
// numbers. An eighth of doubles takes 1.2 times as long on german-credit with weights, 1.7 times with six
// costs, and 0.75 on splice-1 at depth 2; a half takes as long, and so do a quarter and a sixteenth of
// narrower ones.
constexpr std::size_t sparse_part(Storage storage) { return storage == Storage::f64 ? 4 : 8; }

// Writes the value of every slot into the lanes of the features that it has; 64 slots at a time, so that they
// stay in the cache.
template <class T>
void fill_matrix(T* matrix, const double* values, const std::uint64_t* columns, std::size_t words,
                 const std::vector<std::int32_t>& lanes, std::size_t stride) {
    for (std::size_t w = 0; w < words; ++w) {
        T* rows = matrix + 64 * w * stride;
        std::fill(rows, rows + 64 * stride, T{});
        for (const std::int32_t lane : lanes) {
            const std::size_t l = static_cast<std::size_t>(lane);
            for (std::uint64_t bits = columns[l * words + w]; bits != 0; bits &= bits - 1) {
                const std::size_t k = static_cast<std::size_t>(std::countr_zero(bits));
                rows[k * stride + l] = static_cast<T>(values[64 * w + k]);
            }
        }
    }
}

// Copies one row vector, all lanes or those that are left.
void copy_row(Storage storage, const void* from, std::size_t from_at, void* to, std::size_t to_at,
              std::size_t stride, const std::vector<std::int32_t>* lanes) {
    const std::size_t size = storage_bytes(storage);
    const char* source = static_cast<const char*>(from) + from_at * size;
    char* target = static_cast<char*>(to) + to_at * size;
    if (lanes == nullptr) {
        std::memcpy(target, source, stride * size);
        return;
    }
    const std::size_t n = lanes->size();
    const std::int32_t* lane = lanes->data();
    if (storage == Storage::i8)
        for (std::size_t f = 0; f < n; ++f) target[f] = source[lane[f]];
    else if (storage == Storage::i32)
        for (std::size_t f = 0; f < n; ++f)
            reinterpret_cast<std::int32_t*>(target)[f] = reinterpret_cast<const std::int32_t*>(
                source)[lane[f]];
    else
        for (std::size_t f = 0; f < n; ++f)
            reinterpret_cast<double*>(target)[f] = reinterpret_cast<const double*>(source)[lane[f]];
    std::memset(target + n * size, 0, (stride - n) * size);
}

}  // namespace

// Rows that have few features need no matrices: `listed` is how often the rarer sides of the features occur.
void Node::set_sparse(std::size_t listed, int n_slots) {
    if (masked_) {
        sparse_ = true;
        return;
    }
    sparse_ = settings_.sparse_rows && !counting_ && storage_ != Storage::i8 &&
              sparse_part(storage_) * listed <= candidates_.size() * static_cast<std::size_t>(n_slots);
}

void Node::fill_matrices() {
    const std::size_t stride = static_cast<std::size_t>(stride_), words = static_cast<std::size_t>(words_);
    matrices_.reserve(
        static_cast<std::size_t>(n_matrices_) * plane_size() * stride * storage_bytes(storage_) + 64);
    for (int p = 0; p < n_planes_; ++p) {
        if (!has_matrix(p)) continue;
        const std::uint64_t* columns = columns_.as<std::uint64_t>();
        void* to = matrix(p);
        if (storage_ == Storage::i8)
            fill_matrix(static_cast<std::int8_t*>(to), plane(p), columns, words, candidates_, stride);
        else if (storage_ == Storage::i32)
            fill_matrix(static_cast<std::int32_t*>(to), plane(p), columns, words, candidates_, stride);
        else
            fill_matrix(static_cast<double*>(to), plane(p), columns, words, candidates_, stride);
    }
}

char* Node::matrix(int index) {
    if (sparse_) return nullptr;

    const std::size_t position = static_cast<std::size_t>(index <= count_plane_ ? index : n_matrices_ - 1);
    return matrices_.as<char>() +
           position * plane_size() * static_cast<std::size_t>(stride_) * storage_bytes(storage_);
}

void Node::positive_rows(std::uint64_t* out) const {
    std::fill(out, out + words_, 0);
    const double* values = plane(0);
    for (std::size_t s = 0; s < plane_size(); ++s)
        if (values[s] > 0) out[s / 64] |= 1ull << (s % 64);
}

// The parent's slots of the rows of this node, by blocks, and the slots of the root.
void Node::list_selected(const Node& parent) {
    chosen_.clear();
    slots_.resize(64 * static_cast<std::size_t>(words_));
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const std::size_t before = chosen_.size();
        for (int w = parent.blocks_[b].word_begin; w < parent.blocks_[b].word_end; ++w)
            for (std::uint64_t bits = selected_[static_cast<std::size_t>(w)]; bits != 0; bits &= bits - 1)
                chosen_.push_back(static_cast<std::uint32_t>(64 * w + std::countr_zero(bits)));
        std::uint32_t* slots = slots_.data() + 64 * static_cast<std::size_t>(blocks_[b].word_begin);
        for (std::size_t k = before; k < chosen_.size(); ++k) *slots++ = parent.slots_[chosen_[k]];
    }
}

void Node::copy_weighted_rows(const Node& parent) {
    const std::size_t stride = static_cast<std::size_t>(stride_);
    const std::size_t row = storage_bytes(storage_);
    const std::size_t slots = plane_size(), parent_slots = parent.plane_size();
    const std::size_t n_copied = sparse_ || parent.sparse_ ? 0 : static_cast<std::size_t>(n_matrices_);
    if (n_copied > 0) matrices_.reserve(n_copied * slots * stride * row + 64);
    planes_.resize(static_cast<std::size_t>(n_planes_) * slots);
    const std::vector<std::int32_t>* lanes = packed_ ? &candidates_ : nullptr;
    const std::uint32_t* from = chosen_.data();
    for (const Block& block : blocks_) {
        const std::size_t first = 64 * static_cast<std::size_t>(block.word_begin),
                          last = 64 * static_cast<std::size_t>(block.word_end);
        const std::uint64_t* valid = valid_.data() + block.word_begin;
        const std::size_t n = static_cast<std::size_t>(
            settings_.kernels->count_and(valid, valid, block.word_end - block.word_begin));
        for (std::size_t m = 0; m < n_copied; ++m)
            for (std::size_t k = 0; k < n; ++k)
                copy_row(storage_, parent.matrices_.data(),
                         (m * parent_slots + from[k]) * static_cast<std::size_t>(parent.stride_),
                         matrices_.data(), (m * slots + first + k) * stride, stride, lanes);
        for (int p = 0; p < n_planes_; ++p) {
            if (!has_plane(p)) continue;
            const double* numbers = parent.plane(p);
            double* own = planes_.data() + static_cast<std::size_t>(p) * slots + first;
            for (std::size_t k = 0; k < n; ++k) own[k] = numbers[from[k]];
            std::fill(own + n, own + (last - first), 0.0);
        }
        from += n;
    }
}

void Node::sum_weights(const KnownSums& known) {
    for (std::size_t k = 0; k < candidates_.size(); ++k)
        with_[static_cast<std::size_t>(candidates_[k])] = counts_[k];
    channels_.clear();
    if (traits_.label_rows)
        for (const Block& block : blocks_)
            channels_.push_back({block.word_begin, block.word_end, matrix(0), plane(0)});
    else
        for (int m = 0; m < n_values_; ++m) channels_.push_back({0, words_, matrix(m), plane(m)});
    if (counted_) channels_.push_back({0, words_, matrix(count_plane_), plane(count_plane_)});
    if (weighed_) weight_channel_ = {0, words_, matrix(n_planes_ - 1), plane(n_planes_ - 1)};
    if (sparse_) {
        std::memset(
            singles_.data(), 0,
            static_cast<std::size_t>(n_channels_) * static_cast<std::size_t>(stride_) * lane_bytes(lane_));
        for (int c = 0; c < n_channels_; ++c) {
            const std::size_t row = static_cast<std::size_t>(c) * known.stride;
            for (const std::int32_t f : candidates_)
                set_single(c, f,
                           c < known.channels ? known.sums[row + static_cast<std::size_t>(parent_lane(f))]
                                              : column_sum(channels_[static_cast<std::size_t>(c)], f));
        }
    }
    indices_.reserve(4 * index_count(stride_));
    const Scratch scratch{
        indices_.as<std::uint32_t>(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
    if (!sparse_) settings_.kernels->single_sums(frame(), valid_.data(), singles_.data(), scratch);
    for (int c = 0; c < n_channels_; ++c) {
        const Channel& channel = channels_[static_cast<std::size_t>(c)];
        set_lane_value(lane_, totals_.data(), static_cast<std::size_t>(c), sum(channel));
    }
}

double Node::column_sum(const Channel& channel, int lane) const {
    const std::size_t begin = static_cast<std::size_t>(channel.word_begin);
    return settings_.kernels->selected_sum(column(lane) + begin, valid_.data() + begin,
                                           channel.word_end - channel.word_begin,
                                           channel.values + 64 * begin);
}

// For every slot the lanes of its features, the rarer side of each feature being listed. Wide numbers are
// added up by feature, and need to know the rarer side only, unless slots have few features.
void Node::list_rows() {
    if (masked_) return;
    const std::size_t slots = 64 * static_cast<std::size_t>(words_);
    listed_without_.assign(static_cast<std::size_t>(stride_), 0);
    std::size_t total = 0;
    for (const std::int32_t f : active_) {
        const int count = n_with(f);
        listed_without_[static_cast<std::size_t>(f)] = 2 * count > n_slots_;
        total += static_cast<std::size_t>(std::min(count, n_slots_ - count));
    }
    if (!sparse_ && storage_ != Storage::i8) return;
    row_begin_.assign(slots + 1, 0);
    const auto each = [&](std::int32_t f, auto&& visit) {
        const std::uint64_t* bits = column(f);
        const std::uint64_t invert = listed_without_[static_cast<std::size_t>(f)] ? ~0ull : 0ull;
        for (std::size_t w = 0; w < static_cast<std::size_t>(words_); ++w)
            for (std::uint64_t word = (bits[w] ^ invert) & valid_[w]; word != 0; word &= word - 1)
                visit(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
    };
    for (const std::int32_t f : active_) each(f, [&](std::size_t slot) { ++row_begin_[slot + 1]; });
    for (std::size_t s = 0; s < slots; ++s) row_begin_[s + 1] += row_begin_[s];
    row_lanes_.resize(total);
    for (const std::int32_t f : active_)
        each(f, [&](std::size_t slot) { row_lanes_[row_begin_[slot]++] = static_cast<std::uint32_t>(f); });
    for (std::size_t s = slots; s > 0; --s) row_begin_[s] = row_begin_[s - 1];
    row_begin_[0] = 0;
}

Frame Node::weight_frame() const {
    Frame out = frame();
    out.n_channels = 1;
    out.counted = false;
    out.channels = &weight_channel_;
    return out;
}

}  // namespace streed
