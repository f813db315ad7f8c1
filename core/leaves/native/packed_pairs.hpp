// Pairs of features from packed tables (packed_table.hpp). Part of kernels/body.hpp.
//
// For squares only: logarithms take so long that nothing is gained (colon at depth 4: 10.2 ms packed, 9.4 in
// doubles). Features that do not split the rows need no masks: an empty cell is 0 / 0, which no comparison
// chooses. One cell of a pair is unpacked, the other three are differences of doubles, which are exact.
// Estimates by reciprocals that rule most pairs out before they are divided lost (concrete at depth 4: 34 ms
// instead of 29).

// Both statistics of packed numbers as doubles, by their bits: a whole number below 2^52 is the low end of a
// double of that size. Instructions for this are not on every level.
struct Unpacking {
    int shift;
    long long half, low;
    double middle;

    explicit Unpacking(int at)
        : shift(at),
          half(1ll << (at - 1)),
          low((1ll << at) - 1),
          middle(0x1p52 + static_cast<double>(1ll << (at - 1))) {}

    static AnyVec doubles(Longs bits) {
        AnyVec out;
        bits |= 0x4330000000000000ll;
        __builtin_memcpy(&out, &bits, sizeof(out));
        return out;
    }
    void operator()(Longs packed, AnyVec* sums) const {
        packed += half;
        typedef unsigned long long Unsigned __attribute__((vector_size(kVectorBytes), aligned(8), may_alias));
        sums[0] = doubles(reinterpret_cast<Longs>(reinterpret_cast<Unsigned>(packed) >> shift)) - 0x1p52;
        sums[1] = doubles(packed & low) - middle;
    }
};

void packed_sizes(const Frame& frame, const std::int64_t* table, int shift, double* out) {
    const Unpacking unpack(shift);
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    const int lanes = native_lanes(frame);
    for (int a = 0; a < frame.n_active; ++a) {
        const std::size_t row = static_cast<std::size_t>(frame.active[a]) * stride;
        for (int j = 0; j < lanes; j += kLanes<double>) {
            alignas(kVectorBytes) AnyVec sums[2];
            unpack(longs(table + row + j), sums);
            at(out + row + j) = sums[0];
        }
    }
}

template <class... Losses>
constexpr int packed_losses(LossList<Losses...>) {
    return (static_cast<int>(Losses::kPacked) + ...);
}
static_assert(Squares::kPacked && packed_losses(NativeLosses{}) == 1, "packed sums are evaluated as squares");

template <bool Limited>
inline AnyVec packed_ticks(const AnyVec* sums, const NativeModel& model) {
    const AnyVec ticks = native_ticks<Squares, AnyVec, Bits>(sums, model);
    if constexpr (!Limited) return ticks;
    return sums[0] >= model.least ? ticks : AnyVec{} - 1e300;
}

template <bool Limited>
void typed_packed_splits(const Frame& frame, const PackedProblem& problem, const NativeModel& given,
                         const NativeSplits& out) {
    NativeModel model = given;
    model.n_values = 3;
    const Unpacking unpack(model.shift);
    const HalfRows filled(frame);
    const int lanes = filled.lanes;
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    const AnyVec none = AnyVec{} - 1e300;
    double* const single[2] = {problem.unpacked, problem.unpacked + stride};
    AnyVec total[2];
    unpack(Longs{} + problem.total, total);
    for (int j = 0; j < lanes; j += kLanes<double>) {
        alignas(kVectorBytes) AnyVec with[2], without[2];
        unpack(longs(problem.singles + j), with);
        for (int m = 0; m < 2; ++m) {
            at(single[m] + j) = with[m];
            without[m] = total[m] - with[m];
        }
        // Not a number if one side is empty.
        at(out.right_leaf + j) = larger_of(packed_ticks<Limited>(with, model), none);
        at(out.left_leaf + j) = larger_of(packed_ticks<Limited>(without, model), none);
        at(out.right + j) = at(out.left + j) = none;
    }
    for (int a = 0; a < frame.n_active; ++a) {
        const int i = frame.active[a];
        if (out.right_leaf[i] <= -1e300 || out.left_leaf[i] <= -1e300) continue;
        const std::int64_t* row = problem.table + static_cast<std::size_t>(i) * stride;
        const std::int64_t* whole = problem.minuend == nullptr
                                        ? nullptr
                                        : problem.minuend + static_cast<std::size_t>(i) * stride;
        BestSplits best{none, none};
        for (int j = filled.begin(i); j < filled.end(i); j += kLanes<double>) {
            const Longs own = longs(row + j);
            alignas(kVectorBytes) AnyVec cell[4][2];
            unpack(whole == nullptr ? own : longs(whole + j) - own, cell[0]);
            for (int m = 0; m < 2; ++m) {
                cell[1][m] = single[m][i] - cell[0][m];
                cell[2][m] = at(single[m] + j) - cell[0][m];
                cell[3][m] = (total[m] - single[m][i]) - cell[2][m];
            }
            alignas(kVectorBytes) const AnyVec ticks[4] = {
                packed_ticks<Limited>(cell[0], model), packed_ticks<Limited>(cell[1], model),
                packed_ticks<Limited>(cell[2], model), packed_ticks<Limited>(cell[3], model)};
            best.take(ticks, out.right + j, out.left + j);
        }
        out.right[i] = larger(out.right[i], largest_of(best.right));
        out.left[i] = larger(out.left[i], largest_of(best.left));
    }
}

void packed_splits(const Frame& frame, const PackedProblem& problem, const NativeModel& model,
                   const NativeSplits& out) {
    if (model.least > 1) return typed_packed_splits<true>(frame, problem, model, out);
    typed_packed_splits<false>(frame, problem, model, out);
}
