"""tacit for Spack: `spack repo add packaging/spack && spack install tacit ^openmpi` (or ^mpich: one build serves one MPI).
The source is the branch main of the clone that this recipe lies in. Spack's LLVM has no clang++-19: for `tacit cxx` set OMPI_CXX or
MPICH_CXX to its clang++. What of this was tried stands in packaging/README.md."""
from pathlib import Path

from spack.package import *  # noqa: F403 (as all recipes)

try:  # Spack 1.0 has the build systems in a package of their own
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class Tacit(CMakePackage):
    """Finds the communication an MPI program means, explains it, and makes it run the fast way."""

    git = Path(__file__).resolve().parents[4].as_uri()

    license("Apache-2.0")

    version("main", branch="main")

    variant("overlap", default=True, description="The LLVM plugin that overlaps communication with computation")
    variant("fortran", default=True, when="+overlap", description="flang, with which tacit-fc compiles")
    variant("tasks", default=True, description="Programs of tasks (tacit/tasks.hpp), whose kernels run on oneTBB")
    variant("metis", default=True, description="`tacit bench neighbor` cuts matrices by METIS")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.11:", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("xxhash")
    depends_on("fmt")
    depends_on("elfutils")
    depends_on("hwloc")
    depends_on("mpi")
    depends_on("llvm@19.1 +clang +lld +llvm_dylib", when="+overlap", type=("build", "link", "run"))
    depends_on("llvm +flang", when="+overlap +fortran", type="run")
    depends_on("intel-tbb@2021:", when="+tasks")
    depends_on("metis", when="+metis")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("TACIT_BUILD_TESTS", False),
            self.define("CMAKE_UNITY_BUILD", True),
            self.define("CMAKE_UNITY_BUILD_BATCH_SIZE", 12),
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
            self.define_from_variant("TACIT_WITH_TASKS", "tasks"),
            self.define_from_variant("TACIT_WITH_METIS", "metis"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_LLVM", not self.spec.satisfies("+overlap")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_Clang", not self.spec.satisfies("+overlap")),
        ]

    def setup_run_environment(self, env):
        if self.spec.satisfies("+overlap +fortran"):
            env.set("TACIT_FC", self.spec["llvm"].prefix.bin.join("flang-new"))

    @run_after("install")
    def the_command_starts(self):
        Executable(self.prefix.bin.tacit)("--version")
