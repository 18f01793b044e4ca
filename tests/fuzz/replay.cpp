// Every kept input of the fuzzer of the core once more, without libFuzzer; part of the core's
// tests.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  std::size_t n = 0;
  for (std::string line; std::getline(file, line); ++n) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t k = 0; k + 1 < line.size(); k += 2)
      bytes.push_back(static_cast<std::uint8_t>(std::stoul(line.substr(k, 2), nullptr, 16)));
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%zu inputs\n", n);
  return n > 0 ? 0 : 1;
}
