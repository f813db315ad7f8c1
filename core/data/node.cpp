// Every search node owns its rows as a small dense problem (paper, appendix "Pseudo-code and Implementation":
// the data set that a recursive call gets). Its bits are packed and features that no longer split are left
// out, so that the kernels below it work on full vectors and nothing else. The obvious way, a bit set of the
// rows over the columns of the root, makes every node as expensive as the root. Memory is that of one path.
//
// A worked example with one word and the rows 0 to 5 of the parent: the child on feature f with column 110100
// (bit 5 first) has the rows 2, 4 and 5. A column 011101 of the parent becomes their bits 0, 1, 1 (row 5
// first): 011, in three slots. When few enough lanes are left to save a vector they are renumbered, and
// parent_lane() leads back.
#include "data/node.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace streed {

namespace {

// Sums under masks are added up in vectors of doubles, whatever the rest of the kernels has: strides that are
// multiples of the widest of them keep their tables small, and children are renumbered sooner.
constexpr int kMaskedLanes = 8;

int padded(std::size_t lanes, int multiple) {
    const std::size_t m = static_cast<std::size_t>(multiple);
    return static_cast<int>(std::max<std::size_t>(1, (lanes + m - 1) / m) * m);
}

}  // namespace

void set_lane_value(Lane lane, void* values, std::size_t at, double value) {
    switch (lane) {
        case Lane::i8:
            static_cast<std::int8_t*>(values)[at] = static_cast<std::int8_t>(value);
            break;
        case Lane::i16:
            static_cast<std::int16_t*>(values)[at] = static_cast<std::int16_t>(value);
            break;
        case Lane::i32:
            static_cast<std::int32_t*>(values)[at] = static_cast<std::int32_t>(value);
            break;
        default:
            static_cast<double*>(values)[at] = value;
            break;
    }
}

double lane_value(Lane lane, const void* values, std::size_t at) {
    switch (lane) {
        case Lane::i8:
            return static_cast<const std::int8_t*>(values)[at];
        case Lane::i16:
            return static_cast<const std::int16_t*>(values)[at];
        case Lane::i32:
            return static_cast<const std::int32_t*>(values)[at];
        default:
            return static_cast<const double*>(values)[at];
    }
}

void Node::load(const ReducedProblem& problem, const NodeSettings& settings) {
    settings_ = settings;
    counting_ = problem.counting;
    storage_ = problem.storage;
    traits_ = traits_of(problem.kind);
    n_values_ = problem.n_values;
    counted_ = settings.counted;
    masked_ = settings.masked;
    weighed_ = !counting_ && traits_.own_weight && problem.similar && !problem.sized;
    count_plane_ = problem.n_matrices;
    n_planes_ = count_plane_ + 3;
    n_matrices_ = count_plane_ + (counted_ ? 1 : 0) + (weighed_ ? 1 : 0);
    n_channels_ = n_values_ + (counted_ ? 1 : 0);
    largest_value_ = problem.largest_value;
    scale_ = problem.scale.empty() ? nullptr : problem.scale.data();
    steps_ = problem.steps.empty() ? nullptr : problem.steps.data();
    words_ = problem.words;
    blocks_ = problem.blocks;
    valid_ = problem.valid;
    heavy_.resize(problem.light.size());
    for (std::size_t w = 0; w < heavy_.size(); ++w) heavy_[w] = valid_[w] & ~problem.light[w];
    features_.resize(problem.features.size());
    for (std::size_t f = 0; f < features_.size(); ++f) features_[f] = static_cast<std::int32_t>(f);
    stride_ = padded(features_.size(), lane_multiple());

    const std::size_t words = static_cast<std::size_t>(words_);
    const std::size_t stride = static_cast<std::size_t>(stride_);
    slots_.resize(counting_ ? 0 : 64 * words);
    for (std::size_t s = 0; s < slots_.size(); ++s) slots_[s] = static_cast<std::uint32_t>(s);
    columns_.reserve(stride * words * 8 + 64);
    std::copy(problem.columns.begin(), problem.columns.end(), columns_.as<std::uint64_t>());
    if (!counting_) {
        planes_.clear();
        for (const std::vector<double>* source :
             {&problem.value, &problem.count, &problem.potential, &problem.weight})
            planes_.insert(planes_.end(), source->begin(), source->end());
    }
    candidates_.assign(features_.begin(), features_.end());
    if (counting_) {
        counts_.resize(candidates_.size() * blocks_.size());
        settings_.kernels->count_columns(frame(), candidates_.data(), static_cast<int>(candidates_.size()),
                                         valid_.data(), counts_.data());
    } else {
        std::size_t listed = 0;
        const int n = settings.kernels->count_and(valid_.data(), valid_.data(), words_);
        counts_.clear();
        for (const std::int32_t f : candidates_) {
            const int count = settings.kernels->count_and(column(f), valid_.data(), words_);
            counts_.push_back(count);
            listed += static_cast<std::size_t>(std::min(count, n - count));
        }
        set_sparse(listed, n);
        if (!sparse_) fill_matrices();
    }
    finish({});
}

int Node::lane_multiple() const { return masked_ ? kMaskedLanes : settings_.kernels->lane_multiple; }

void Node::side_filter(int lane, bool side, std::uint64_t* out) const {
    const std::uint64_t* bits = column(lane);
    const std::uint64_t invert = side ? 0 : ~0ull;
    for (int w = 0; w < words_; ++w) out[w] = (bits[w] ^ invert) & valid_[static_cast<std::size_t>(w)];
}

double Node::filter_potential(const std::uint64_t* filter) const {
    if (!traits_.benefit) return 0;
    if (counting_ && (scale_ != nullptr || steps_ != nullptr)) {
        double sum = 0;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            const Block& block = blocks_[b];
            const double weight = scale_ != nullptr ? scale_[b] : std::abs(static_cast<double>(steps_[b]));
            sum += weight * settings_.kernels->count_and(filter + block.word_begin,
                                                         heavy_.data() + block.word_begin,
                                                         block.word_end - block.word_begin);
        }
        return sum;
    }
    if (counting_) return settings_.kernels->count_and(filter, heavy_.data(), words_);
    const double* potential = plane(count_plane_ + 1);
    double sum = 0;
    for (std::size_t w = 0; w < static_cast<std::size_t>(words_); ++w)
        for (std::uint64_t bits = filter[w]; bits != 0; bits &= bits - 1)
            sum += potential[64 * w + static_cast<std::size_t>(std::countr_zero(bits))];
    return sum;
}

void Node::load_child(const Node& parent, int lane, bool side, const KnownSums& known) {
    settings_ = parent.settings_;
    counting_ = parent.counting_;
    storage_ = parent.storage_;
    traits_ = parent.traits_;
    n_values_ = parent.n_values_;
    n_channels_ = parent.n_channels_;
    counted_ = parent.counted_;
    masked_ = parent.masked_;
    weighed_ = parent.weighed_;
    count_plane_ = parent.count_plane_;
    n_planes_ = parent.n_planes_;
    n_matrices_ = parent.n_matrices_;
    largest_value_ = parent.largest_value_;
    scale_ = parent.scale_;
    steps_ = parent.steps_;
    select(parent, lane, side);
    pack_columns(parent);
    if (!counting_) copy_weighted_rows(parent);
    if (packed_) {
        parent_lanes_ = candidates_;
        for (std::size_t k = 0; k < candidates_.size(); ++k) candidates_[k] = static_cast<std::int32_t>(k);
    }
    if (!counting_ && !sparse_ && parent.sparse_) fill_matrices();
    finish(known);
}

// The rows of the child and the features that still tell them apart.
void Node::select(const Node& parent, int lane, bool side) {
    selected_.resize(static_cast<std::size_t>(parent.words_));
    parent.side_filter(lane, side, selected_.data());
    const std::uint64_t* selected = selected_.data();
    blocks_.clear();
    words_ = n_slots_ = 0;
    valid_.clear();
    for (const Block& block : parent.blocks_) {
        const int count = settings_.kernels->count_and(
            selected + block.word_begin, selected + block.word_begin, block.word_end - block.word_begin);
        n_slots_ += count;
        blocks_.push_back({words_, words_ + (count + 63) / 64});
        words_ = blocks_.back().word_end;
        valid_.resize(static_cast<std::size_t>(words_), ~0ull);
        if (count % 64 != 0) valid_.back() = (1ull << (count % 64)) - 1;
    }
    if (!counting_) list_selected(parent);
    counting_ ? count_candidates(parent, lane) : choose_candidates(parent, lane);
}

// The parent's features that still tell the rows apart.
void Node::choose_candidates(const Node& parent, int lane) {
    const std::uint64_t* selected = selected_.data();
    candidates_.clear();
    counts_.clear();
    std::size_t listed = 0;
    for (const std::int32_t f : parent.active_) {
        if (f == lane) continue;
        const int count = settings_.kernels->count_and(parent.column(f), selected, parent.words_);
        if (count == 0 || count == n_slots_) continue;
        candidates_.push_back(f);
        counts_.push_back(count);
        listed += static_cast<std::size_t>(std::min(count, n_slots_ - count));
    }
    set_sparse(listed, n_slots_);
}

// Features that still tell counted rows apart; their counts by label are kept as the node's single sums.
void Node::count_candidates(const Node& parent, int lane) {
    const std::size_t n = parent.active_.size(), blocks = blocks_.size();
    all_counts_.resize(n * blocks);
    settings_.kernels->count_columns(parent.frame(), parent.active_.data(), static_cast<int>(n),
                                     selected_.data(), all_counts_.data());
    candidates_.clear();
    counts_.resize(n * blocks);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < n; ++k) {
        int count = 0;
        for (std::size_t b = 0; b < blocks; ++b) count += all_counts_[k * blocks + b];
        if (parent.active_[k] == lane || count == 0 || count == n_slots_) continue;
        for (std::size_t b = 0; b < blocks; ++b) counts_[kept * blocks + b] = all_counts_[k * blocks + b];
        candidates_.push_back(parent.active_[k]);
        ++kept;
    }
    counts_.resize(kept * blocks);
    set_sparse(0, n_slots_);
}

// Bits of the selected rows, block by block; the lanes are renumbered when that saves a vector.
void Node::pack_columns(const Node& parent) {
    const int multiple = lane_multiple();
    const std::size_t words = static_cast<std::size_t>(words_);
    packed_ = padded(candidates_.size(), multiple) < parent.stride_;
    stride_ = packed_ ? padded(candidates_.size(), multiple) : parent.stride_;
    columns_.reserve((static_cast<std::size_t>(stride_) + 1) * words * 8 + 64);
    std::vector<const std::uint64_t*>& from = from_;
    std::vector<std::uint64_t*>& to = to_;
    from.clear();
    to.clear();
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        from.push_back(parent.column(candidates_[k]));
        to.push_back(columns_.as<std::uint64_t>() +
                     (packed_ ? k : static_cast<std::size_t>(candidates_[k])) * words);
    }
    if (counting_) {
        heavy_.resize(words);
        from.push_back(parent.heavy_.data());
        to.push_back(heavy_.data());
    }
    plan_.reserve(kPlanBytes * static_cast<std::size_t>(parent.words_));
    int done = 0, filled = 0;  // words of earlier blocks
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        for (const std::uint64_t*& column : from) column += parent.blocks_[b].word_begin - done;
        for (std::uint64_t*& column : to) column += blocks_[b].word_begin - filled;
        done = parent.blocks_[b].word_begin;
        filled = blocks_[b].word_begin;
        settings_.kernels->compress_columns(from.data(), static_cast<int>(from.size()),
                                            selected_.data() + done, parent.blocks_[b].word_end - done,
                                            plan_.data(), to.data());
    }
    if (packed_) {
        features_.resize(candidates_.size());
        for (std::size_t k = 0; k < candidates_.size(); ++k)
            features_[k] = parent.features_[static_cast<std::size_t>(candidates_[k])];
    } else {
        features_ = parent.features_;
    }
}

// The narrowest lanes that hold every sum over rows of this node.
void Node::choose_lane_type() {
    if (steps_ != nullptr) {
        lane_ = Lane::i32;
        return;
    }
    if (!counting_ && storage_ != Storage::i8) {
        lane_ = storage_ == Storage::f64 ? Lane::f64 : Lane::i32;
        return;
    }
    double largest = 0;
    if (counting_) {
        for (const Block& block : blocks_) {
            const std::uint64_t* bits = valid_.data() + block.word_begin;
            const int count = settings_.kernels->count_and(bits, bits, block.word_end - block.word_begin);
            largest = std::max(largest, static_cast<double>(count));
        }
    } else {
        for (int p = 0; p < n_planes_; ++p) {
            if (!has_matrix(p)) continue;
            for (const Block& block : blocks_) {
                const double* values = plane(p);
                double positive = 0, negative = 0;
                for (std::size_t s = 64 * static_cast<std::size_t>(block.word_begin);
                     s < 64 * static_cast<std::size_t>(block.word_end); ++s)
                    (values[s] < 0 ? negative : positive) += std::abs(values[s]);
                largest = std::max({largest, positive, negative});
            }
        }
    }
    if (counted_) largest = std::max(largest, rows_);
    if (!settings_.narrow_lanes)
        lane_ = Lane::i32;
    else
        lane_ = largest <= 127 ? Lane::i8 : largest <= 32767 ? Lane::i16 : Lane::i32;
}

void Node::finish(const KnownSums& known) {
    n_slots_ = settings_.kernels->count_and(valid_.data(), valid_.data(), words_);
    potential_ = filter_potential(valid_.data());
    if (counting_) {
        rows_ = n_slots_;
        has_light_ = settings_.kernels->count_and(heavy_.data(), valid_.data(), words_) < n_slots_;
    } else {
        rows_ = sum({0, words_, nullptr, plane(count_plane_)});
        weight_ = weighed_ ? sum({0, words_, nullptr, plane(n_planes_ - 1)}) : 0;
    }
    has_row_bits_ = false;
    choose_lane_type();
    const std::size_t stride = static_cast<std::size_t>(stride_);
    singles_.reserve(static_cast<std::size_t>(n_channels_) * stride * 8);
    totals_.reserve(static_cast<std::size_t>(n_channels_) * 8);
    active_.clear();
    with_.assign(stride, 0);
    counting_ ? sum_counts() : sum_weights(known);

    // A feature whose smaller side cannot hold a leaf never splits in this node or below it. When counting,
    // the lanes of features that are not active are zero, in the singles as in the tables.
    for (const std::int32_t f : candidates_) {
        const int count = n_with(f);
        bool splits = count > 0 && count < n_slots_;
        if (splits && counted_) {
            const double with = single(n_channels_ - 1, f);
            splits = with >= settings_.min_samples_leaf && rows_ - with >= settings_.min_samples_leaf;
        }
        if (splits)
            active_.push_back(f);
        else if (counting_)
            for (int c = 0; c < n_channels_; ++c) set_single(c, f, 0);
    }
    idle_.clear();
    for (std::int32_t lane = 0, a = 0; lane < stride_; ++lane) {
        if (a < static_cast<std::int32_t>(active_.size()) && active_[static_cast<std::size_t>(a)] == lane)
            ++a;
        else
            idle_.push_back(lane);
    }
    if (!counting_) list_rows();
}

// Single sums when every slot counts one, from the counts of the candidates.
void Node::sum_counts() {
    std::memset(
        singles_.data(), 0,
        static_cast<std::size_t>(n_channels_) * static_cast<std::size_t>(stride_) * lane_bytes(lane_));
    const bool difference = traits_.difference;
    const std::size_t blocks = blocks_.size();
    const auto put = [&](const std::int32_t* counts, auto&& set) {
        std::int32_t all = 0, sum = 0;
        for (std::size_t b = 0; b < blocks; ++b) {
            all += counts[b];
            if (steps_ != nullptr) sum += counts[b] * steps_[b];
            if (!difference) set(static_cast<int>(b), counts[b]);
        }
        if (difference) set(0, steps_ != nullptr ? sum : counts[0] - counts[1]);
        if (counted_) set(n_values_, all);
        return all;
    };
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        const std::int32_t f = candidates_[k];
        with_[static_cast<std::size_t>(f)] = put(
            &counts_[k * blocks], [&](int channel, std::int32_t value) { set_single(channel, f, value); });
    }
    std::vector<std::int32_t>& totals = all_counts_;
    totals.resize(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
        const std::uint64_t* bits = valid_.data() + blocks_[b].word_begin;
        totals[b] = settings_.kernels->count_and(bits, bits, blocks_[b].word_end - blocks_[b].word_begin);
    }
    put(totals.data(), [&](int channel, std::int32_t value) {
        set_lane_value(lane_, totals_.data(), static_cast<std::size_t>(channel), value);
    });
}

const std::uint64_t* Node::row_bits() {
    if (!has_row_bits_) {
        row_bits_.reserve((static_cast<std::size_t>(stride_) + 63) / 64 * row_spacing() * 8 + 64);
        std::uint64_t* bits = row_bits_.as<std::uint64_t>();
        if (masked_)
            settings_.kernels->turn_columns_by_slot(frame(), bits);
        else
            settings_.kernels->turn_columns(frame(), valid_.data(), bits);
        has_row_bits_ = true;
    }
    return row_bits_.as<std::uint64_t>();
}

Frame Node::frame() const {
    return Frame{columns_.as<std::uint64_t>(),
                 words_,
                 stride_,
                 active_.data(),
                 static_cast<int>(active_.size()),
                 idle_.data(),
                 static_cast<int>(idle_.size()),
                 lane_,
                 n_channels_,
                 counting_,
                 traits_.difference,
                 counted_,
                 blocks_.data(),
                 static_cast<int>(blocks_.size()),
                 channels_.data(),
                 storage_,
                 std::max(1, static_cast<int>(127 / largest_value_)),
                 row_begin_.data(),
                 row_lanes_.data(),
                 listed_without_.data(),
                 sparse_,
                 steps_};
}

std::size_t Node::bytes() const {
    const auto size = [](const auto&... vectors) {
        return ((vectors.capacity() * sizeof(vectors[0])) + ... + 0);
    };
    std::size_t buffers = 0;
    for (const AlignedBuffer* buffer :
         {&columns_, &singles_, &totals_, &plan_, &row_bits_, &matrices_, &indices_})
        buffers += buffer->capacity();
    return buffers + size(blocks_, features_, active_, idle_, candidates_, parent_lanes_, valid_, heavy_,
                          selected_, slots_, chosen_, channels_, row_begin_, row_lanes_, listed_without_,
                          planes_, counts_, all_counts_, with_, from_, to_);
}

void Node::set_single(int channel, int lane, double value) {
    set_lane_value(lane_, singles_.data(),
                   static_cast<std::size_t>(channel) * static_cast<std::size_t>(stride_) +
                       static_cast<std::size_t>(lane),
                   value);
}

double Node::total(int channel) const {
    return lane_value(lane_, totals_.data(), static_cast<std::size_t>(channel));
}

double Node::single(int channel, int lane) const {
    return lane_value(lane_, singles_.data(),
                      static_cast<std::size_t>(channel) * static_cast<std::size_t>(stride_) +
                          static_cast<std::size_t>(lane));
}

}  // namespace streed
