#include "check.hpp"
#include "data/contract.hpp"
#include "data/event_table.hpp"
#include "worked_example.hpp"

using namespace survtree;

int main() {
  const EventTable t = make_event_table(worked::time, worked::event, worked::weight);
  const double g[] = {1, 0.8, 0.6, 0.6, 0.6, 0};
  for (int i = 0; i < 5; ++i) check::close(1.0 / t.rows[i].event_mass, g[i], "G at each time");
  check::that(t.rows[5].event_mass == 0.0, "1/G is read as 0 where G is 0");
  check::close(t.rows[0].censor_area.high, 0.0, "areas start at the first time");
  check::close(t.rows[2].censor_area.high, (1.0 + 1.0 / 0.8) / 36.0, "integral of 1/G from 1 to 3");
  check::close(t.g_area[5].high, (1.0 + 0.8 + 3 * 0.6) / 36.0, "integral of G from 1 to 6");
  check::close(difference(t.end, t.rows[0].elapsed), 5.0 / 36.0,
               "what is left after the first time");
  check::that(difference(t.end, t.rows[5].elapsed) == 0.0, "nothing is left after the last time");

  bool threw = false;
  try {
    const std::vector<double> zero{0.0};
    make_event_table(zero, std::vector<std::uint8_t>{1}, std::vector<double>{1.0});
  } catch (const ContractError&) {
    threw = true;
  }
  check::that(threw, "a table whose times are all 0 is refused");
  return check::report();
}
