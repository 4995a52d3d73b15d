# SPDX-License-Identifier: BSD-3-Clause
"""Pages of hugetlbfs for one test, which are given back behind it, also where it is killed."""
import os
import subprocess

HOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "hold_huge_pages.sh")


def reserve_huge_pages(pages, *file):
    """So many beside those that the machine has; returned is what gives them back. None where this user may not ask for them, or the machine
    has no room. `file`: what has the number, where that is not the kernel's."""
    holder = subprocess.Popen(["sh", HOLDER, str(pages), *file], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()

    def give_back():
        holder.stdin.close()
        holder.stdout.read()  # ends once they are given back
        holder.stdout.close()
        holder.wait()
    return give_back
