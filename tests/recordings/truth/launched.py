"""A job of MPI, once more if its launcher lost a process of it."""
import subprocess
import sys

# What Open MPI's mpiexec says of a process that has left without its MPI_Finalize. On a machine that was halted for some seconds it says so
# of processes that are in MPI_Finalize: there they wait 2 s for the launcher's answer, and then leave.
LOST = "exiting improperly"


def run_job(command):
    """What the job printed and its exit code. A job that the launcher lost is repeated once, and this is said; one that ends in any
    other way is not, so that no wrong answer is forgiven, nor a process that leaves too early each time."""
    done = once(command)
    if done.returncode != 0 and LOST in done.stderr:
        print(f"the launcher lost a process, so that this job is repeated once: {' '.join(map(str, command))}", file=sys.stderr)
        done = once(command)
    return done


def once(command):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
