import type { IPodDisruptionBudget } from "kubernetes-models/policy/v1";
import type { IServiceAccount } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { renderChart, valueSets } from "./chart.ts";
import { ofKind, podsOf, selects, serversOf } from "./manifest.ts";

const services = ["audio", "billing", "chat", "console", "document", "edge", "image", "ledger"];
/** The least default grace period. */
const minGraceSeconds = 600;

describe.each(valueSets)("with the values of %s, every pod", (set) => {
  const rendered = renderChart(set);

  it("runs without root, privileges, capabilities and a writable root file system", async () => {
    const pods = podsOf(await rendered);
    expect(pods.length).toBeGreaterThanOrEqual(services.length);
    for (const { component, spec, container } of pods) {
      expect(spec.securityContext, component).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 65532,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(container.securityContext, component).toEqual({
        runAsNonRoot: true,
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      for (const open of ["hostNetwork", "hostPID", "hostIPC"]) {
        expect(spec, component).not.toHaveProperty(open);
      }
      expect(
        spec.volumes?.filter(({ hostPath }) => hostPath),
        component,
      ).toEqual(spec.volumes ? [] : undefined);
    }
  });

  it("requests CPU and memory, and limits memory", async () => {
    for (const { component, container } of podsOf(await rendered)) {
      expect(container.resources, component).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
      // A memory limit protects other pods from a leak; a CPU limit would only delay streams.
      expect(container.resources?.limits, component).not.toHaveProperty("cpu");
    }
  });

  it("has no Kubernetes API token", async () => {
    const manifests = await rendered;
    for (const { component, spec } of podsOf(manifests)) {
      expect(spec.automountServiceAccountToken, component).toBe(false);
    }
    for (const account of ofKind<IServiceAccount>(manifests, "ServiceAccount")) {
      expect(account.automountServiceAccountToken, account.metadata.name).toBe(false);
    }
  });

  it("that serves has probes, its own service account and a disruption budget", async () => {
    const manifests = await rendered;
    const accounts = ofKind<IServiceAccount>(manifests, "ServiceAccount");
    const budgets = ofKind<IPodDisruptionBudget>(manifests, "PodDisruptionBudget");
    for (const { component, labels, spec, container } of serversOf(manifests)) {
      expect(container.readinessProbe, component).toBeDefined();
      expect(container.livenessProbe, component).toBeDefined();
      expect(accounts.map(({ metadata }) => metadata.name)).toContain(spec.serviceAccountName);
      expect(spec.serviceAccountName, component).toBe(`gateway-tollgate-${component}`);
      const own = budgets.filter((budget) => selects(budget.spec?.selector, labels));
      expect(own.length, component).toBe(1);
    }
  });
});

const jobNames = new Set(["catalog-check", "migrate", "test"]);

it.each([
  "dev",
  "defaults",
] as const)("all pods of %s pull images with image.pullSecrets", async (set) => {
  const pods = podsOf(await renderChart(set, "image.pullSecrets[0].name=registry"));
  for (const { component, spec } of pods) {
    expect(spec.imagePullSecrets, component).toEqual([{ name: "registry" }]);
  }
});

describe("the workloads", () => {
  it("are one per service, and their selectors match only its pods", async () => {
    const servers = serversOf(await renderChart("defaults"));
    expect(servers.map(({ component }) => component).sort()).toEqual(services);
    for (const { component, owner } of servers) {
      const { selector } = (owner as unknown as { spec: { selector: object } }).spec;
      const matched = servers.filter(({ labels }) => selects(selector, labels));
      expect(matched.map((pod) => pod.component)).toEqual([component]);
    }
  });

  it("have a grace period for streams, and spread over zones and nodes", async () => {
    for (const { component, spec } of serversOf(await renderChart("defaults"))) {
      expect(spec.terminationGracePeriodSeconds, component).toBeGreaterThan(minGraceSeconds);
      expect(spec.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toEqual([
        "topology.kubernetes.io/zone",
        "kubernetes.io/hostname",
      ]);
    }
  });

  it("store usage events in an emptyDir, or in a claim when spool.volume is persistent", async () => {
    const publishers = ["audio", "chat", "document", "image"];
    for (const [set, kind] of [
      ["defaults", "Deployment"],
      ["production", "StatefulSet"],
    ] as const) {
      const pods = serversOf(await renderChart(set)).filter(({ container }) => {
        return container.volumeMounts?.some(({ mountPath }) => mountPath.endsWith("/spool"));
      });
      expect(pods.map(({ component }) => component).sort()).toEqual(publishers);
      expect(new Set(pods.map(({ owner }) => owner.kind))).toEqual(new Set([kind]));
      for (const { owner, spec } of pods) {
        const claims = JSON.stringify(owner).includes('"volumeClaimTemplates"');
        const inPod = spec.volumes?.some(({ name, emptyDir }) => name === "spool" && emptyDir);
        expect(claims).not.toBe(inPod);
      }
    }
  });

  it("have an identity in a cloud where they call providers, and nowhere else", async () => {
    const accounts = ofKind<IServiceAccount>(await renderChart("production"), "ServiceAccount");
    const known = accounts.flatMap(({ metadata: { name, annotations } }) =>
      annotations?.["eks.amazonaws.com/role-arn"] === undefined ? [] : [name],
    );
    const callers = ["audio", "chat", "document", "image"];
    expect(known.sort()).toEqual(callers.map((service) => `gateway-tollgate-${service}`));
    const audio = accounts.find(({ metadata }) => metadata.name === "gateway-tollgate-audio");
    expect(audio?.metadata.labels).toMatchObject({
      team: "speech",
      "app.kubernetes.io/component": "audio",
    });
  });

  it("call each other with certificates of one Secret, which is for the names of all services", async () => {
    const manifests = await renderChart("production");
    const [certificate] = manifests.filter(({ kind }) => kind === "Certificate") as unknown as {
      spec: { secretName: string; dnsNames: string[] };
    }[];
    expect(certificate?.spec.secretName).toBe("tollgate-tls");
    expect(certificate?.spec.dnsNames.toSorted()).toEqual(
      services.map((service) => `gateway-tollgate-${service}-headless`),
    );
    for (const { component, container, spec } of serversOf(manifests)) {
      const folder = container.env?.find(({ name }) => name === "TOLLGATE_TLS_DIR")?.value;
      const mount = container.volumeMounts?.find(({ mountPath }) => mountPath === folder);
      const volume = spec.volumes?.find(({ name }) => name === mount?.name);
      expect(volume?.secret?.secretName, component).toBe("tollgate-tls");
    }
    expect(JSON.stringify(await renderChart("defaults"))).not.toContain("TOLLGATE_TLS_DIR");
  });

  it("are joined by Jobs that are scheduled as the pods of the services are", async () => {
    const values = ["nodeSelector.pool=gateway", "tolerations[0].key=gateway"];
    const manifests = await renderChart(
      "defaults",
      ...values.map((value) => `services.defaults.${value}`),
    );
    const jobs = podsOf(manifests).filter(({ component }) => jobNames.has(component));
    expect(jobs.map(({ component }) => component).sort()).toEqual([...jobNames].sort());
    for (const { spec } of jobs) {
      expect(spec).toMatchObject({
        nodeSelector: { pool: "gateway" },
        tolerations: [{ key: "gateway" }],
      });
    }
  });

  it("read no catalog file where the catalog is in the database", async () => {
    const manifests = await renderChart("defaults", "catalog.source=database");
    expect(manifests.filter(({ metadata }) => metadata.name.includes("catalog"))).toEqual([]);
    for (const { container, spec } of serversOf(manifests)) {
      expect(JSON.stringify([container, spec])).not.toMatch(/TOLLGATE_CATALOG|etc\/tollgate/);
    }
  });

  it("mount the catalog as a folder, because subPath mounts are not updated", async () => {
    const readers = serversOf(await renderChart("defaults")).filter(({ spec }) => {
      return spec.volumes?.some(({ configMap }) => configMap?.name === "gateway-tollgate-catalog");
    });
    expect(readers.map(({ component }) => component).sort()).toEqual(
      services.filter((service) => service !== "console" && service !== "ledger"),
    );
    for (const { container } of readers) {
      const mount = container.volumeMounts?.find(({ name }) => name === "catalog");
      expect(mount).toEqual({ name: "catalog", mountPath: "/etc/tollgate", readOnly: true });
    }
  });
});
