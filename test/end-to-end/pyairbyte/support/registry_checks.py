"""Runs the checks that Airbyte runs on a connector before its registry takes it, and prints as JSON what came of each.

Called in a folder that is laid out as Airbyte's repository is, with the names of connectors. For each connector it prints
an object: the name of each check, with "passed", "skipped", or the message of its failure.
"""

import json
import os
import sys
import types
from contextlib import redirect_stdout
from importlib.util import find_spec


# Packages of Airbyte's that are entered without running their __init__, which imports the clients of several clouds.
[root] = find_spec("airbyte_ops_mcp").submodule_search_locations
for name in ["airbyte_ops_mcp", "airbyte_ops_mcp.registry", "airbyte_ops_mcp.connector_qa.checks"]:
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [os.path.join(root, *name.split(".")[1:])]

from airbyte_ops_mcp import metadata_validator
from airbyte_ops_mcp.connector_ops import utils
from airbyte_ops_mcp.connector_qa.checks import assets, documentation, metadata, packaging, security
from airbyte_ops_mcp.connector_qa.models import CheckStatus
from airbyte_ops_mcp.registry.validate import ValidateOptions, validate_metadata

# The registry and Docker Hub are not asked. Neither has the connector yet, and Docker Hub has its base image.
utils.download_catalog = lambda url: {"sources": []}
metadata_validator.get_latest_version_on_dockerhub = lambda image: None
metadata_validator.is_image_on_docker_hub = lambda *image, **retries: True


class OfNoKnownLanguage(utils.Connector):
    """Airbyte's checks know no TypeScript. Java's connectors have their own images too, so their checks apply."""

    language = utils.ConnectorLanguage.JAVA


def results(connector):
    if connector.language is None:
        connector = OfNoKnownLanguage(connector.relative_connector_path)
    page = str(connector.documentation_file_path)
    # Each on its own, since the check that runs them all, ValidateMetadata, ends at the first that fails.
    for validator in metadata_validator.PRE_UPLOAD_VALIDATORS:
        options = metadata_validator.ValidatorOptions(docs_path=page)
        model, error = metadata_validator.validate_and_load(connector.metadata_file_path, [validator], options)
        yield validator.__name__, "passed" if model else str(error)
    before_publishing = validate_metadata(connector.metadata, ValidateOptions(docs_path=page))
    yield validate_metadata.__name__, "passed" if before_publishing.passed else str(before_publishing.errors)
    for module in [documentation, metadata, packaging, assets, security]:
        for check in module.ENABLED_CHECKS:
            if isinstance(check, metadata.ValidateMetadata):
                continue
            result = check.run(connector)
            failed = result.status is CheckStatus.FAILED
            yield type(check).__name__, result.message if failed else result.status.name.lower()


with redirect_stdout(sys.stderr):  # the validators say there what they do
    found = {name: dict(results(utils.Connector(name))) for name in sys.argv[1:]}
print(json.dumps(found))
