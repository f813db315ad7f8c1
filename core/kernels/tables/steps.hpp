// Pair tables of rows that count by kind: every row of block b adds steps[b], a whole number of either sign.
// Part of kernels/body.hpp.
//
// Where rows have few different costs (a class, a group, and a multiplier for each), a table of differences
// is a sum of counts times steps. A panel (kernels/tables/counts.hpp) takes the rows of as many blocks as
// have room, so that a table entry is written once per panel and not once per block; adding a number for
// every row takes several times as long (german-credit with four kinds of rows).

// The rows of one block in a panel, and what each of them adds.
struct StepPart {
    int bytes;
    std::int32_t step;
};

using Counts = Vec<std::int32_t>;
constexpr int kStepVectors = 4;  // vectors of sums per vector of bytes
static_assert(kStepVectors * kLanes<std::int32_t> == kVectorBytes, "a sum for every byte");

// A quarter of the bytes of a vector as whole numbers.
inline Counts widened(Bytes bytes, int quarter) {
    typedef std::uint8_t Part __attribute__((vector_size(kLanes<std::int32_t>), aligned(1), may_alias));
    alignas(kVectorBytes) std::uint8_t stored[kVectorBytes];
    *reinterpret_cast<Bytes*>(stored) = bytes;
    return __builtin_convertvector(*reinterpret_cast<const Part*>(stored + quarter * kLanes<std::int32_t>),
                                   Counts);
}

// One panel for `Count` features i and one vector of features j.
template <int Count>
inline void step_tile(const std::uint8_t* panel, std::size_t stride, const std::int32_t* features,
                      std::size_t begin, const StepPart* parts, int n_parts, bool first,
                      std::int32_t* table) {
    Counts sum[Count][kStepVectors];
    for (int k = 0; k < Count; ++k) {
        const Counts* row = vectors(
            static_cast<const std::int32_t*>(table + static_cast<std::size_t>(features[k]) * stride + begin));
        for (int q = 0; q < kStepVectors; ++q) sum[k][q] = first ? Counts{} : row[q];
    }
    const std::uint8_t* at = panel + begin;
    for (int part = 0; part < n_parts; ++part) {
        Bytes count[Count];
        for (int k = 0; k < Count; ++k) count[k] = Bytes{};
        for (int byte = 0; byte < parts[part].bytes; ++byte, at += stride) {
            const Bytes rows = *reinterpret_cast<const Bytes*>(at);
            for (int k = 0; k < Count; ++k)
                count[k] += count_shared(prepare(at[features[k] - static_cast<std::ptrdiff_t>(begin)]), rows);
        }
        for (int k = 0; k < Count; ++k)
            for (int q = 0; q < kStepVectors; ++q) sum[k][q] += widened(count[k], q) * parts[part].step;
    }
    for (int k = 0; k < Count; ++k) {
        Counts* row = vectors(table + static_cast<std::size_t>(features[k]) * stride + begin);
        for (int q = 0; q < kStepVectors; ++q) row[q] = sum[k][q];
    }
}

inline void step_panel(const Frame& frame, const std::uint8_t* panel, bool half, const StepPart* parts,
                       int n_parts, bool first, std::int32_t* table) {
    constexpr int kAtOnce = 4;
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    for (int a = 0; a < frame.n_active;) {
        const std::int32_t* features = frame.active + a;
        const std::size_t own = static_cast<std::size_t>(features[0] / kVectorBytes * kVectorBytes);
        const bool several = a + kAtOnce <= frame.n_active;
        for (std::size_t begin = half ? own : 0; begin < stride; begin += kVectorBytes) {
            if (several)
                step_tile<kAtOnce>(panel, stride, features, begin, parts, n_parts, first, table);
            else
                step_tile<1>(panel, stride, features, begin, parts, n_parts, first, table);
        }
        a += several ? kAtOnce : 1;
    }
}

void step_table(const Frame& frame, const std::uint64_t* filter, const std::int32_t* steps,
                std::int32_t* table, const Scratch& scratch) {
    constexpr int kWordBytes = 64 / kRowsPerByte;
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    int all_rows = 0, panels = 0;
    for (int w = 0; w < frame.words; ++w) all_rows += count_bits(filter[w]);
    const bool half = all_rows >= kMirrorRows && stride > static_cast<std::size_t>(kVectorBytes);
    StepPart parts[kPanelBytes];
    int n_parts = 0, used = 0;
    bool first = true;
    const auto flush = [&] {
        if ((++panels % 64 == 0 || stride > 1024) && scratch.checkpoint != nullptr)
            scratch.checkpoint(scratch.context);
        step_panel(frame, scratch.panel, half, parts, n_parts, first, table);
        first = false;
        n_parts = used = 0;
    };
    for (int b = 0; b < frame.n_blocks; ++b) {
        const Block block = frame.blocks[b];
        int rows = 0;
        for (int w = block.word_begin; w < block.word_end; ++w) rows += count_bits(filter[w]);
        if (rows == 0) continue;
        const int packed = (rows + 63) / 64;
        const std::size_t step = static_cast<std::size_t>(packed) + 1;
        PackedWord* plan = reinterpret_cast<PackedWord*>(scratch.plan);
        const int n_steps = plan_packing(filter + block.word_begin, block.word_end - block.word_begin, plan);
        pack_block(frame, block, plan, n_steps, scratch.bits, step);
        for (int done = 0; done < packed;) {
            const int room = (kPanelBytes - used) / kWordBytes;
            if (room == 0) {
                flush();
                continue;
            }
            const int take = packed - done < room ? packed - done : room;
            for (int w = 0; w < take; ++w)
                for (std::size_t i = 0; i < stride; i += 8)
                    fill_panel(scratch.bits + i * step + done + w, step,
                               scratch.panel + static_cast<std::size_t>(used + w * kWordBytes) * stride + i,
                               stride);
            const int left = rows - 64 * done;
            const int bytes = ((left < 64 * take ? left : 64 * take) + kRowsPerByte - 1) / kRowsPerByte;
            parts[n_parts++] = {bytes, steps[b]};
            used += bytes;
            done += take;
        }
    }
    if (first || n_parts > 0) flush();
    if (half) mirror(frame, table);
}

// As count_table, for steps: the sums, where wanted the numbers of rows as the last channel, and as weights
// what rows add of either sign.
void step_tables(const Frame& frame, const std::uint64_t* filter, void* table, double* weights,
                 const Scratch& scratch) {
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    std::int32_t* sums = static_cast<std::int32_t*>(table);
    step_table(frame, filter, frame.steps, sums, scratch);
    std::int32_t others[kMostSteps];
    if (frame.counted) {
        for (int b = 0; b < frame.n_blocks; ++b) others[b] = 1;
        step_table(frame, filter, others, sums + stride * stride, scratch);
    }
    if (weights == nullptr) return;
    for (int b = 0; b < frame.n_blocks; ++b) others[b] = magnitude(frame.steps[b]);
    std::int32_t* tallies = static_cast<std::int32_t*>(scratch.tallies);
    step_table(frame, filter, others, tallies, scratch);
    for (int a = 0; a < frame.n_active; ++a) {
        const std::size_t begin = static_cast<std::size_t>(frame.active[a]) * stride;
        for (std::size_t j = begin; j < begin + stride; ++j) weights[j] = static_cast<double>(tallies[j]);
    }
}
