# ruff: noqa: F821 (lit defines config and lit_config)
# LLVM's lit runs the cases: each says in RUN lines how it is compiled, in expected-remark lines what the pass says about
# which call (clang checks them, -verify; for flang, which cannot, FileCheck does, in REMARK lines), and in CHECK lines what
# it makes of a function. Variables come from CMake (lit.site.cfg.py).
import platform

import lit.formats

config.name = "overlap"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".f90"]
config.excludes = ["Inputs"]
config.test_source_root = __file__.rpartition("/")[0]
config.test_exec_root = config.output
config.environment |= {"OMPI_CC": "clang-19", "MPICH_CC": "clang-19", "OMPI_CXX": "clang++-19", "MPICH_CXX": "clang++-19"}
if config.flang:
    config.available_features.add("flang")
if config.family == "openmpi":
    config.available_features.add("openmpi")

plugin = f"-fpass-plugin={config.plugin}"
remarks = " ".join(f"-Rpass{kind}=mpi-overlap" for kind in ("", "-missed", "-analysis"))
config.substitutions += [
    ("%plugin", config.plugin),
    ("%cc", f"mpicc.{config.family} {plugin}"),
    ("%cxx", f"mpicxx.{config.family} {plugin}"),
    ("%fc", f"{config.flang} -I{config.mpi_headers} {plugin} -g -S -emit-llvm {remarks}"),
    # Where vectors are short, and the same for every machine of a kind.
    ("%baseline", "-march=x86-64" if platform.machine() == "x86_64" else ""),
    ("%verify", f"-g -S -emit-llvm {remarks} -Xclang -verify"),
    ("%check", f"{config.filecheck} %s"),
    # In the order of lines, without the folder; nothing but what is expected.
    ("%remarks", "grep remark: | sed 's/^[^:]*://' | sort -s -t: -k1,1n -k2,2n | "
                 f"{config.filecheck} %s --check-prefix=REMARK --implicit-check-not=remark:"),
]
