// The front search for many components (see few.cpp).
#include "front/search/search_impl.hpp"

template class streed::FrontSearch<8>;
template class streed::FrontSearch<32>;
template class streed::FrontSearch<streed::kMostComponents>;
