"""Airbyte's standard test suites for sources. All that they ask for and assert is Airbyte's.

They start a source by calling it inside their own process. For ours, which is not written in Python, that one call
starts our program instead. The tests of an image start `docker`.
"""

import subprocess

import pytest
from airbyte_cdk.test import entrypoint_wrapper
from airbyte_cdk.test.standard_tests import DeclarativeSourceTestSuite
from airbyte_cdk.test.standard_tests.docker_base import DockerConnectorTestSuite
from airbyte_cdk.test.standard_tests.source_base import SourceTestSuiteBase


def run(source, args, expecting_exception=None, *, expected_outcome=None):
    ended = subprocess.run(["source-survey-export", *args], capture_output=True, text=True, check=False)
    failure = None
    if ended.returncode != 0:
        failure = subprocess.CalledProcessError(ended.returncode, args, ended.stdout, ended.stderr)
    return entrypoint_wrapper.EntrypointOutput(
        messages=ended.stdout.splitlines(), stderr=ended.stderr, uncaught_exception=failure
    )


class Program:
    """What the suite holds for the source."""

    def spec(self, logger):
        raise NotImplementedError("the program says it itself")


class TestProgram(SourceTestSuiteBase):
    connector = Program

    @pytest.fixture(autouse=True)
    def start_the_program(self, monkeypatch):
        monkeypatch.setattr(entrypoint_wrapper, "_run_command", run)


class TestManifest(DeclarativeSourceTestSuite):
    """Finds manifest.yaml next to this file."""


class TestImage(DockerConnectorTestSuite):
    # It compares with the version that Airbyte's registry on the internet has, and there is none.
    test_docker_image_spec_backward_compatibility = None
