"""Airbyte's standard test suite for sources, run on a source that is not written in Python.

The suite starts a source by calling it inside its own process. Here that one call starts our program
instead; everything that it asks for and asserts is Airbyte's.
"""

import subprocess

from airbyte_cdk.test import entrypoint_wrapper
from airbyte_cdk.test.standard_tests.source_base import SourceTestSuiteBase


def run(source, args, expecting_exception=None, *, expected_outcome=None):
    ended = subprocess.run(["source-survey-export", *args], capture_output=True, text=True, check=False)
    failure = None
    if ended.returncode != 0:
        failure = subprocess.CalledProcessError(ended.returncode, args, ended.stdout, ended.stderr)
    return entrypoint_wrapper.EntrypointOutput(
        messages=ended.stdout.splitlines(), stderr=ended.stderr, uncaught_exception=failure
    )


entrypoint_wrapper._run_command = run


class Program:
    """What the suite holds for the source."""

    def spec(self, logger):
        raise NotImplementedError("the program says it itself")


class TestSource(SourceTestSuiteBase):
    connector = Program
