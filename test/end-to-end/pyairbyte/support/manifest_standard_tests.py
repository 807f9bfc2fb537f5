"""Airbyte's standard test suite for sources that are a manifest alone. All that it asks for and asserts is Airbyte's."""

from airbyte_cdk.test.standard_tests import DeclarativeSourceTestSuite


class TestManifest(DeclarativeSourceTestSuite):
    """Finds manifest.yaml beside this file."""
