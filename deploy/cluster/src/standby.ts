import type { Release } from "./release.ts";
import { retry } from "./wait-for.ts";

/** The chart's Postgres, with a synchronous standby that can replace it. */
export interface ReplicatedPostgres {
  /** Kills the first server. Its Service leads to none then. */
  killFirst(): Promise<void>;
  /** Promotes the standby, and moves the Service to it. */
  promoteStandby(): Promise<void>;
}

const server = "tollgate-postgres";
const standby = "postgres-standby";
/** The label by which the Service finds the server that takes writes. */
const roleLabel = "test.tollgate/role";
const replicationSeconds = 120;
/** The settings of the chart's Postgres. A standby must allow at least as many connections. */
const settings = ["-c", "listen_addresses=*", "-c", "max_connections=300"];

/**
 * Starts a standby of the chart's Postgres. Resolves once it takes part in each commit. The standby has
 * the labels of the first server, so that the chart's network policies admit its clients. The end of
 * the release deletes it.
 */
export async function startStandby({ kubectl }: Release): Promise<ReplicatedPostgres> {
  const first = await findServer(kubectl);
  await kubectl(["label", "pod", first.metadata.name, `${roleLabel}=first`]);
  await selectRole(kubectl, "first");
  // The rule for all databases does not admit replication.
  const admit = `echo "host replication all all trust" >> "$(${psql("SHOW hba_file")})"`;
  await kubectl(inServer(first.metadata.name, `${admit} && ${psql("SELECT pg_reload_conf()")}`));
  const service = JSON.parse(await kubectl(["get", "service", server, "--output", "json"])) as {
    metadata: { uid: string };
  };
  const manifest = manifestOf(first, service.metadata.uid);
  await kubectl(["create", "--filename", "-"], JSON.stringify(manifest));
  const wait = ["--for=condition=Ready", `--timeout=${replicationSeconds}s`];
  await kubectl(["wait", `pod/${standby}`, ...wait]);
  // A standby begins to take part in commits only once it has all earlier ones.
  const require = `${psql("ALTER SYSTEM SET synchronous_standby_names = '*'")} && ${psql("SELECT pg_reload_conf()")}`;
  await kubectl(inServer(first.metadata.name, require));
  const state = psql("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'");
  await retry("the standby is synchronous", replicationSeconds, async () => {
    const text = (await kubectl(inServer(first.metadata.name, state))).trim();
    if (text !== "sync") throw new Error(`its state is ${text || "unknown"}`);
  });
  return {
    async killFirst() {
      await kubectl(["delete", "pod", first.metadata.name, "--grace-period=0", "--force"]);
    },
    async promoteStandby() {
      await kubectl(inServer(standby, psql("SELECT pg_promote()")));
      await selectRole(kubectl, "standby");
    },
  };
}

interface ServerPod {
  metadata: { name: string; labels: Record<string, string> };
  spec: {
    securityContext: object;
    imagePullSecrets?: object[];
    containers: { image: string; securityContext: object }[];
  };
  status: { podIP: string };
}

async function findServer(kubectl: Release["kubectl"]): Promise<ServerPod> {
  const selector = ["--selector", "app.kubernetes.io/component=postgres"];
  const json = await kubectl(["get", "pods", ...selector, "--output", "json"]);
  const [first] = (JSON.parse(json) as { items: ServerPod[] }).items;
  if (first === undefined) throw new Error("there is no pod of Postgres");
  return first;
}

async function selectRole(kubectl: Release["kubectl"], role: "first" | "standby"): Promise<void> {
  const patch = { spec: { selector: { [roleLabel]: role } } };
  await kubectl(["patch", "service", server, "--patch", JSON.stringify(patch)]);
}

function inServer(pod: string, script: string): string[] {
  return ["exec", pod, "--", "sh", "-c", script];
}

function psql(statement: string): string {
  return `psql --username tollgate --no-align --tuples-only --command "${statement}"`;
}

/** The standby, and a policy by which the two servers reach each other. */
function manifestOf(first: ServerPod, serviceUid: string) {
  const { labels, name } = first.metadata;
  const ownLabels = Object.fromEntries(
    Object.entries(labels).filter(([label]) => label.startsWith("app.kubernetes.io/")),
  );
  const owner = { apiVersion: "v1", kind: "Service", name: server, uid: serviceUid };
  const metadata = { name: standby, ownerReferences: [owner] };
  const [container] = first.spec.containers;
  if (container === undefined) throw new Error(`${name} has no container`);
  const folder = "/var/lib/postgresql";
  const data = `${folder}/standby`;
  const copy = ["pg_basebackup", "--host", first.status.podIP, "--username", "tollgate"]
    .concat(["--pgdata", data, "--write-recovery-conf", "--checkpoint=fast"])
    .join(" ");
  const volumes = Object.entries({ data: folder, run: "/var/run/postgresql", temporary: "/tmp" });
  const spec = {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: first.spec.securityContext,
    ...(first.spec.imagePullSecrets && { imagePullSecrets: first.spec.imagePullSecrets }),
    containers: [
      {
        name: "postgres",
        image: container.image,
        imagePullPolicy: "IfNotPresent",
        command: ["sh", "-c", `${copy} && exec postgres -D ${data} ${settings.join(" ")}`],
        readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
        securityContext: container.securityContext,
        resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } },
        volumeMounts: volumes.map(([volume, mountPath]) => ({ name: volume, mountPath })),
      },
    ],
    volumes: volumes.map(([volume]) => ({ name: volume, emptyDir: {} })),
    terminationGracePeriodSeconds: 1,
  };
  const servers = { podSelector: { matchLabels: ownLabels } };
  const between = { ports: [{ protocol: "TCP", port: 5432 }] };
  const policy = {
    ...servers,
    policyTypes: ["Ingress", "Egress"],
    ingress: [{ ...between, from: [servers] }],
    egress: [{ ...between, to: [servers] }],
  };
  return {
    apiVersion: "v1",
    kind: "List",
    items: [
      { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata, spec: policy },
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...metadata, labels: { ...ownLabels, [roleLabel]: "standby" } },
        spec,
      },
    ],
  };
}
