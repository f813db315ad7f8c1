// A node of a front search: its rows packed once, and sums of vectors over any cell of them.
//
// Vectors of cells are what a front search needs most (paper, Algorithm 2, for vectors). Where rows have few
// different costs an atom is a bit in the block of its costs, and a sum is one count per block times the
// costs of the block; else vectors are added up. Adding vectors row by row would touch every row of every
// cell. Bits are packed as in data/node.cpp, for the same reason.
#include "front/data/part.hpp"

#include <algorithm>
#include <bit>

namespace streed {

void Part::select(const Rows& rows, const Kernels& kernels, const Words& mask) {
    rows_ = &rows;
    kernels_ = &kernels;
    mask_ = &mask;
    counting_ = rows.counting;
    channels_ = rows.channels;
    blocks_.clear();
    kinds_.clear();
    atoms_.clear();
    n_words_ = 0;
    const std::size_t m = static_cast<std::size_t>(rows.n_values);
    total_.assign(channels_, 0);
    low_.assign(m, 0);
    high_.assign(m, 0);
    const auto add = [&](const double* vector, double times) {
        for (std::size_t c = 0; c < channels_; ++c) total_[c] += times * vector[c];
        for (std::size_t j = 0; j < m; ++j) {
            double low = 0, high = 0;
            for (std::size_t c = j; c + 1 < channels_; c += m) {
                low = std::min(low, vector[c]);
                high = std::max(high, vector[c]);
            }
            low_[j] += times * low;
            high_[j] += times * high;
        }
    };
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const Block& block = rows.blocks[b];
        const std::uint64_t* bits = mask.data() + block.word_begin;
        const int count = kernels.count_and(bits, bits, block.word_end - block.word_begin);
        if (count == 0) continue;
        const int begin = static_cast<int>(n_words_);
        n_words_ += static_cast<std::size_t>(count + 63) / 64;
        blocks_.push_back({begin, static_cast<int>(n_words_)});
        kinds_.push_back(b);
        if (counting_) {
            add(&rows.values[b * channels_], count);
            continue;
        }
        for (std::size_t w = static_cast<std::size_t>(block.word_begin);
             w < static_cast<std::size_t>(block.word_end); ++w)
            for (std::uint64_t word = mask[w]; word != 0; word &= word - 1) {
                atoms_.push_back(static_cast<std::uint32_t>(64 * w) +
                                 static_cast<std::uint32_t>(std::countr_zero(word)));
                add(&rows.values[atoms_.back() * channels_], 1);
            }
    }
}

void Part::pack(const std::vector<std::int32_t>& candidates, double least) {
    features_.clear();
    columns_.resize((candidates.size() + 1) * n_words_ + 1);
    singles_.resize(candidates.size() * channels_);
    single_low_.resize(candidates.size() * low_.size());
    for (const std::int32_t f : candidates) {
        const std::size_t at = features_.size();
        const std::uint64_t* column = rows_->columns.data() + static_cast<std::size_t>(f) * rows_->words;
        std::uint64_t* packed = columns_.data() + at * n_words_;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            const Block& from = rows_->blocks[kinds_[b]];
            kernels_->compress(column + from.word_begin, mask_->data() + from.word_begin,
                               from.word_end - from.word_begin, packed + blocks_[b].word_begin);
        }
        double* sums = &singles_[at * channels_];
        sum(packed, packed, sums);
        if (sums[channels_ - 1] < least || count() - sums[channels_ - 1] < least) continue;
        features_.push_back(f);
        if (counting_) sum_lowest(packed, &single_low_[at * low_.size()]);
    }
}

// Counting: the number of rows of every kind, times the vector of that kind.
void Part::sum(const std::uint64_t* a, const std::uint64_t* b, double* out) const {
    std::fill(out, out + channels_, 0);
    if (counting_) {
        for (std::size_t k = 0; k < blocks_.size(); ++k) {
            const Block& block = blocks_[k];
            const double count = kernels_->count_and(a + block.word_begin, b + block.word_begin,
                                                     block.word_end - block.word_begin);
            const double* vector = &rows_->values[kinds_[k] * channels_];
            for (std::size_t c = 0; c < channels_; ++c) out[c] += count * vector[c];
        }
        return;
    }
    for (std::size_t w = 0; w < n_words_; ++w) {
        for (std::uint64_t word = a[w] & b[w]; word != 0; word &= word - 1) {
            const double* vector =
                &rows_->values[atoms_[64 * w + static_cast<std::size_t>(std::countr_zero(word))] * channels_];
            for (std::size_t c = 0; c < channels_; ++c) out[c] += vector[c];
        }
    }
}

void Part::sum_lowest(const std::uint64_t* column, double* out) const {
    const std::size_t m = low_.size();
    std::fill(out, out + m, 0);
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
        const Block& block = blocks_[k];
        const std::uint64_t* bits = column + block.word_begin;
        const double count = kernels_->count_and(bits, bits, block.word_end - block.word_begin);
        for (std::size_t j = 0; j < m; ++j) {
            double least = 0;
            for (std::size_t c = j; c + 1 < channels_; c += m) least = std::min(least, block_vector(k)[c]);
            out[j] += count * least;
        }
    }
}

void Part::copy_to(ReducedProblem& reduced) const {
    reduced.counting = true;
    reduced.words = static_cast<int>(n_words_);
    reduced.blocks = blocks_;
    reduced.features = features_;
    reduced.columns.assign(columns_.begin(),
                           columns_.begin() + static_cast<std::ptrdiff_t>(features_.size() * n_words_));
    reduced.valid.resize(n_words_ + 1);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const Block& from = rows_->blocks[kinds_[b]];
        const std::uint64_t* bits = mask_->data() + from.word_begin;
        kernels_->compress(bits, bits, from.word_end - from.word_begin,
                           reduced.valid.data() + blocks_[b].word_begin);
    }
    reduced.valid.resize(n_words_);
}

void Part::cells(std::size_t at, std::vector<double>& out) const {
    out.resize(features_.size() * channels_);
    const std::uint64_t* own = columns_.data() + at * n_words_;
    for (std::size_t b = 0; b < features_.size(); ++b)
        sum(own, columns_.data() + b * n_words_, &out[b * channels_]);
}

}  // namespace streed
