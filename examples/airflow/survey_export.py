"""Two ways to run a sync from Airflow, each a task that keeps its state and may be retried at any time.

Both run `sync` of the image, which keeps rows and state in one file, surveys.sqlite. A retry resumes where the attempt
before it stopped.

With Docker, FOLDER on the Docker host holds config.json, gets surveys.sqlite, and belongs to user 1000, as whom the
image runs. To see what arrived, open the file in any program that reads SQLite. To back it up, copy it while no sync
runs. On Kubernetes the objects of ../kubernetes/ are used: the volume claim, the config map and the secret. There,
../kubernetes/volume.yaml says how to get at the file.

The task's log shows the source's warnings and errors, and a last line with the result. Add
`on_failure_callback` or `email` to the settings to be told of a task whose retries failed, too.

The project's tests run the first DAG with `airflow dags test` and a real container engine. They import the second
one, and validate its pod against Kubernetes' schema: they have no cluster.
"""

import os
from datetime import datetime, timedelta

from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.providers.cncf.kubernetes.secret import Secret
from airflow.providers.docker.operators.docker import DockerOperator
from airflow.sdk import dag
from docker.types import Mount
from kubernetes.client import models as k8s

IMAGE = "ghcr.io/survey-export/source-survey-export:0.1.0"
FOLDER = os.environ.get("SURVEY_EXPORT_FOLDER", "/srv/survey-export")
# The Docker network from which the service can be reached. None: Docker's default.
NETWORK = os.environ.get("SURVEY_EXPORT_NETWORK")

settings = {
    "schedule": "@hourly",
    "start_date": datetime(2026, 1, 1),
    "catchup": False,
    # Two syncs at once would share the service's allowance and the state.
    "max_active_runs": 1,
    # A sync that hangs is stopped, and the retry resumes from its last state. A first sync of many people takes hours.
    "default_args": {
        "retries": 3,
        "retry_delay": timedelta(minutes=2),
        "execution_timeout": timedelta(days=1),
    },
    "tags": ["survey-export"],
}


@dag(dag_id="survey_export_docker", **settings)
def with_docker():
    DockerOperator(
        task_id="sync",
        image=IMAGE,
        command=["sync", "/data/surveys.sqlite"],
        mounts=[Mount(source=FOLDER, target="/data", type="bind")],
        mount_tmp_dir=False,
        network_mode=NETWORK,
        auto_remove="force",
    )


@dag(dag_id="survey_export_kubernetes", **settings)
def with_kubernetes():
    KubernetesPodOperator(
        task_id="sync",
        name="survey-export",
        image=IMAGE,
        arguments=["sync", "/data/surveys.sqlite"],
        env_vars={"SURVEY_EXPORT_CONFIG": "/settings/config.json"},
        secrets=[Secret("env", "SURVEY_EXPORT_API_KEY", "survey-export", "api-key")],
        # The network policy of ../kubernetes/ is for pods with this label.
        labels={"app": "survey-export"},
        container_resources=k8s.V1ResourceRequirements(
            requests={"cpu": "250m", "memory": "256Mi"},
            limits={"cpu": "1", "memory": "512Mi", "ephemeral-storage": "64Mi"},
        ),
        volumes=[
            k8s.V1Volume(
                name="data",
                persistent_volume_claim=k8s.V1PersistentVolumeClaimVolumeSource(claim_name="survey-export"),
            ),
            k8s.V1Volume(name="settings", config_map=k8s.V1ConfigMapVolumeSource(name="survey-export")),
        ],
        volume_mounts=[
            k8s.V1VolumeMount(name="data", mount_path="/data"),
            k8s.V1VolumeMount(name="settings", mount_path="/settings", read_only=True),
        ],
        security_context={"runAsNonRoot": True, "runAsUser": 1000, "fsGroup": 1000},
        on_finish_action="delete_pod",
        get_logs=True,
    )


with_docker()
with_kubernetes()
