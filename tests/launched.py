"""A job of MPI, once more if its launcher lost a process of it."""
import subprocess
import sys

# What Open MPI's mpiexec says of a process that has left without its MPI_Finalize. On a machine that was halted for some seconds it says so
# of processes that are in MPI_Finalize: there they wait 2 s for the launcher's answer, and then leave.
LOST = "exiting improperly"


class Hangs(Exception):
    """A job went on for longer than its limit."""


def run_job(command, limit=None, **options):
    """What the job printed and its exit code. A job that the launcher lost is repeated once, and this is said; one that ends in any
    other way is not, so that no wrong answer is forgiven, nor a process that leaves too early each time. The limit is in seconds in which
    this process was not halted; behind it stands Hangs."""
    done = once(command, limit, options)
    if done.returncode != 0 and LOST in done.stderr:
        print(f"the launcher lost a process, so that this job is repeated once: {' '.join(map(str, command))}", file=sys.stderr)
        done = once(command, limit, options)
    return done


def once(command, limit, options):
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, **options) as job:
        waited = 0
        while True:
            try:
                out, err = job.communicate(timeout=1)
                return subprocess.CompletedProcess(command, job.returncode, out, err)
            except subprocess.TimeoutExpired:
                waited += 1  # a whole machine may be halted for minutes meanwhile, its jobs like us: that is one second
            if limit is not None and waited >= limit:
                end(job)
                raise Hangs


def end(job):
    """A launcher that is asked to end ends its processes."""
    job.terminate()
    try:
        job.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        job.kill()
        job.communicate()
