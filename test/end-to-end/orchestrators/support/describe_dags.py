"""Imports the DAGs of a folder as Airflow's own processor does, validates what is for Kubernetes against Kubernetes'
schema, and prints as JSON what each DAG runs."""

import json
import sys

import kubernetes_validate
import yaml
from airflow.dag_processing.dagbag import DagBag
from kubernetes.client import ApiClient

KUBERNETES = "1.33"
folder, *files = sys.argv[1:]
bag = DagBag(folder)
assert not bag.import_errors, bag.import_errors


def command(task):
    if not hasattr(task, "build_pod_request_obj"):
        return task.command
    pod = ApiClient().sanitize_for_serialization(task.build_pod_request_obj())
    kubernetes_validate.validate(pod, KUBERNETES, strict=True)
    (container,) = [each for each in pod["spec"]["containers"] if each["name"] == "base"]
    return container["args"]


for name in files:
    with open(name, encoding="utf-8") as file:
        for manifest in yaml.safe_load_all(file):
            kubernetes_validate.validate(manifest, KUBERNETES, strict=True)

print(
    json.dumps(
        {
            dag.dag_id: [dag.catchup, dag.max_active_runs, [[task.image, command(task)] for task in dag.tasks]]
            for dag in bag.dags.values()
        }
    )
)
