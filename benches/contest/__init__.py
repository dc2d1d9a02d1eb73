"""The side-by-side bench: `scripts/bench`.

    run          runs the bench
    plans        makes the plans and the expected answers
    tools        builds or installs the contestants' programs, and lists the missing ones
    entries      the entries: plan, contestant, command and check
    answers      checks the answers
    measure      measures processes: seconds, processor time, peak memory
    goals        the performance goals, computed from the run
    report       writes the tables
"""
