# ruff: noqa: F821 (lit defines config and lit_config)
# LLVM's lit runs the cases: each says in RUN lines what is asked of `tacit transform`. What FileCheck expects stands beside it in
# *.check, so that names there are not taken from the program's: CHECK lines, in the order of the text, what changes (as
# diff -u has it), SAID lines what is said.
import lit.formats

config.name = "annotate"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp"]
config.excludes = ["Inputs"]
config.test_source_root = __file__.rpartition("/")[0]
config.test_exec_root = config.output
config.substitutions += [
    ("%transform", f"{config.tacit} transform"),
    ("%cc", f"{config.tacit} cc --overlap=off --annotations"),
    ("%cxx", f"{config.tacit} cxx --overlap=off --annotations"),
    ("%programs", config.test_source_root + "/../programs"),
    # The lines that change, and no others.
    ("%changes", f"grep '^[-+]' | grep -v '^[-+][-+][-+] ' | {config.filecheck} %s.check --match-full-lines"),
    ("%filecheck", config.filecheck),
    # With a prefix of its own: %said=PREFIX.
    ("%said=", "grep -E ': (remark|error|warning|note): ' | sed 's/^[^:]*://' | "
               f"{config.filecheck} %s.check --implicit-check-not=remark: --implicit-check-not=error: "
               "--implicit-check-not=warning: --check-prefix="),
    ("%said", "grep -E ': (remark|error|warning|note): ' | sed 's/^[^:]*://' | "
              f"{config.filecheck} %s.check --check-prefix=SAID "
              "--implicit-check-not=remark: --implicit-check-not=error: --implicit-check-not=warning:"),
]
