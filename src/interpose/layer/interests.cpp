#include "interpose/layer/interests.h"

#include "interpose/layer/clients.h"

#include <algorithm>
#include <stdexcept>

namespace tacit::interpose {

extern "C" {
alignas(64) constinit interest_table tacit_interests{};
}
constinit request_filter own_requests, own_fortran_requests;

constinit interest_bits narrow_interests = 0;

namespace {

constinit interest_bits made = 0, glancing = 0, about_requests = 0;

interest_bits next_bit() {
  const auto bit = static_cast<interest_bits>(made + 1); // those made are the lowest bits
  if (bit == 0)
    throw std::logic_error("more than eight interests");
  made = static_cast<interest_bits>(made | bit);
  return bit;
}

} // namespace

interest::interest(attention wants) : bit_(next_bit()) {
  if (wants == attention::glances)
    glancing = static_cast<interest_bits>(glancing | bit_);
  if (wants == attention::requests)
    about_requests = static_cast<interest_bits>(about_requests | bit_);
  narrow_interests = glancing | about_requests;
}

interest& interest::add(std::initializer_list<mpi_call> calls) {
  for (const mpi_call call : calls)
    tacit_interests.in_call[static_cast<std::size_t>(call)] |= bit_;
  return *this;
}

interest& interest::add(std::initializer_list<call_class> classes) {
  for (const call_row& row : call_rows())
    for (const call_class wanted : classes)
      if (row.kind == wanted)
        add({row.id});
  return *this;
}

interest& interest::add_all() {
  for (const call_row& row : call_rows())
    add({row.id});
  return *this;
}

bool passes_after_glance(interest_bits who, bool meets) {
  if (who & glancing)
    glance(who);
  const interest_bits pass = static_cast<interest_bits>(glancing | (meets ? 0 : about_requests));
  return (who & static_cast<interest_bits>(~pass)) == 0;
}

} // namespace tacit::interpose
