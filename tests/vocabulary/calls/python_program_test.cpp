// What people call a Python program by.
#include "vocabulary/base/python_program.h"

#include <gtest/gtest.h>

#include <vector>

using namespace tacit;
using namespace tacit::vocabulary;

TEST(python_program, is_known_by_its_interpreters_name) {
  for (const char* name : {"python", "python3", "/usr/bin/python3.11", "./python2.7"})
    EXPECT_TRUE(is_python(name)) << name;
  for (const char* name : {"", "pythonic", "python3-config", "/opt/python3/app", "ipython"})
    EXPECT_FALSE(is_python(name)) << name;
}

TEST(python_program, is_named_by_what_it_runs) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> all{
      {{"python3", "solve.py", "7"}, "solve.py"},
      {{"python3", "-O", "/home/me/solve.py"}, "/home/me/solve.py"},
      {{"python3", "-W", "ignore", "-X", "dev", "solve.py"}, "solve.py"},
      {{"python3", "-Wignore::m", "-Xfrozen_modules=off", "solve.py", "-m", "x"}, "solve.py"},
      {{"python3", "--check-hash-based-pycs", "never", "solve"}, "solve"},
      {{"python3", "-m", "package.tool", "solve.py"}, "package.tool"},
      {{"python3", "-Om", "package.tool"}, "package.tool"},
      {{"python3", "-m", "mpi4py", "solve.py", "7"}, "solve.py"},
      {{"python3", "-m", "mpi4py", "-m", "package.tool"}, "package.tool"},
      {{"python3", "-m", "mpi4py", "-c", "print(1)"}, "mpi4py"},
      {{"python3", "-c", "print(1)", "x.py"}, ""},
      {{"python3", "-"}, ""},
      {{"python3"}, ""},
  };
  for (const auto& [words, script] : all)
    EXPECT_EQ(python_script(words), script) << words.back();
}
