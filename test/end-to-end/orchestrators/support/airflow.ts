import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pythonWith } from "../../../support/virtual-environment.ts";

/** A Python with Airflow and what the DAGs of the example import. */
export const pythonWithAirflow = (): string =>
  pythonWith("airflow", [
    "apache-airflow==3.3.2",
    "apache-airflow-providers-docker==4.6.1",
    "apache-airflow-providers-cncf-kubernetes==10.25.0",
    "kubernetes-validate==1.37.0",
  ]);

/** The environment of an Airflow that keeps everything in `home`, and finds its DAGs in `dags`. */
export function airflowSettings(home: string, dags: string): NodeJS.ProcessEnv {
  // The operator asks whether it runs inside a cluster before it says what it would start there.
  const cluster = join(home, "cluster");
  writeFileSync(
    cluster,
    "apiVersion: v1\nkind: Config\ncurrent-context: none\ncontexts: [{name: none, context: {cluster: none, user: none}}]\n" +
      "clusters: [{name: none, cluster: {server: 'http://127.0.0.1:1'}}]\nusers: [{name: none, user: {}}]\n",
  );
  return {
    PATH: process.env.PATH,
    AIRFLOW_HOME: home,
    AIRFLOW__CORE__DAGS_FOLDER: dags,
    AIRFLOW__CORE__LOAD_EXAMPLES: "False",
    KUBECONFIG: cluster,
    PYTHONDONTWRITEBYTECODE: "1",
  };
}
