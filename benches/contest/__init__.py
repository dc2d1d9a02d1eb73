"""The bench side by side: `scripts/bench`.

    run          the order of things
    plans        the plans, made by the project's generator with the answers beside them
    tools        the contestants' programs: built, installed, or named as missing
    entries      who runs on what, with which command and which check
    answers      whether an answer is right
    measure      processes: seconds, processor time, peak memory
    goals        what is to be reached, computed from the run
    report       the tables
"""
