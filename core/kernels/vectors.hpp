// Vectors of numbers and what is done lane by lane, in any instruction set. Part of the bodies of all
// kernels, which define STREED_VECTOR_BYTES.
constexpr int kVectorBytes = STREED_VECTOR_BYTES;

// Named types only: as a template of any T the type would lose its attributes.
template <class T>
struct VectorOf;
#define STREED_VECTOR(T)                                                                             \
    template <>                                                                                      \
    struct VectorOf<T> {                                                                             \
        typedef T type __attribute__((vector_size(kVectorBytes), aligned(kVectorBytes), may_alias)); \
    };
STREED_VECTOR(std::int8_t)
STREED_VECTOR(std::int16_t)
STREED_VECTOR(std::int32_t)
STREED_VECTOR(std::int64_t)
STREED_VECTOR(std::uint8_t)
STREED_VECTOR(std::uint16_t)
STREED_VECTOR(std::uint32_t)
STREED_VECTOR(std::uint64_t)
STREED_VECTOR(float)
STREED_VECTOR(double)
#undef STREED_VECTOR
template <class T>
using Vec = typename VectorOf<T>::type;
using Bytes = Vec<std::uint8_t>;

template <class T>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

template <class T>
inline const Vec<T>* vectors(const T* p) {
    return reinterpret_cast<const Vec<T>*>(p);
}
template <class T>
inline Vec<T>* vectors(T* p) {
    return reinterpret_cast<Vec<T>*>(p);
}

template <class V>
inline V larger(V a, V b) {
    return a > b ? a : b;
}
template <class V>
inline V smaller(V a, V b) {
    return a < b ? a : b;
}
template <class T>
inline T magnitude(T a) {
    return a < T{} ? -a : a;
}
template <class T>
inline Vec<T> splat(T value) {
    return Vec<T>{} + value;
}

// Benefits are formed in a type that holds twice the largest sum.
template <class T>
struct WideOf {
    using type = std::int32_t;
};
template <>
struct WideOf<std::int32_t> {
    using type = double;
};
template <>
struct WideOf<double> {
    using type = double;
};
template <class T>
using Wide = typename WideOf<T>::type;
