"""Prints what the CDK's own component schema has against a manifest, a line for each fault. Called with its path."""

import pkgutil
import sys

import jsonschema
import yaml
from airbyte_cdk.sources.declarative.parsers.manifest_component_transformer import ManifestComponentTransformer
from airbyte_cdk.sources.declarative.parsers.manifest_reference_resolver import ManifestReferenceResolver

with open(sys.argv[1], encoding="utf-8") as file:
    manifest = yaml.safe_load(file)
components = pkgutil.get_data("airbyte_cdk", "sources/declarative/declarative_component_schema.yaml")
resolved = ManifestReferenceResolver().preprocess_manifest(manifest)
whole = ManifestComponentTransformer().propagate_types_and_parameters("", resolved, {})
for error in jsonschema.Draft7Validator(yaml.safe_load(components)).iter_errors(whole):
    print(error.json_path, error.message[:300])
