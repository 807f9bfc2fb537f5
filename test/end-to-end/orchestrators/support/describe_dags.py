"""Imports the DAGs of a folder as Airflow's own processor does, and prints as JSON what came of it."""

import json
import sys

import kubernetes_validate
import yaml
from airflow.dag_processing.dagbag import DagBag
from kubernetes.client import ApiClient

folder, kubernetes_version, *files = sys.argv[1:]
bag = DagBag(folder)


def described(task):
    if hasattr(task, "build_pod_request_obj"):
        pod = ApiClient().sanitize_for_serialization(task.build_pod_request_obj())
        kubernetes_validate.validate(pod, kubernetes_version, strict=True)
        (container,) = [each for each in pod["spec"]["containers"] if each["name"] == "base"]
        runs = container.get("command", []) + container["args"]
    else:
        runs = (task.entrypoint or []) + task.command
    return {"operator": type(task).__name__, "retries": task.retries, "image": task.image, "runs": runs}


manifests = []
for name in files:
    with open(name, encoding="utf-8") as file:
        manifests += yaml.safe_load_all(file)
for manifest in manifests:
    kubernetes_validate.validate(manifest, kubernetes_version, strict=True)

print(
    json.dumps(
        {
            "errors": bag.import_errors,
            "dags": {
                dag.dag_id: {
                    "catchup": dag.catchup,
                    "max_active_runs": dag.max_active_runs,
                    "tasks": [described(task) for task in dag.tasks],
                }
                for dag in bag.dags.values()
            },
            "manifests": [manifest["kind"] for manifest in manifests],
        }
    )
)
