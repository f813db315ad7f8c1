// The front search for few components. Instances share a file, since reading the headers takes a third of the
// time of compiling one.
#include "front/search/search_impl.hpp"

template class streed::FrontSearch<2>;
template class streed::FrontSearch<3>;
template class streed::FrontSearch<4>;
