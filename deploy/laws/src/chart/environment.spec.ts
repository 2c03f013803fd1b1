import { parseCatalog } from "@tollgate/catalog/parse";
import { vendors } from "@tollgate/providers";
import type { IConfigMap, IEnvVar } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { renderChart, type ValueSet, valueSets } from "./chart.ts";
import { ofKind, podsOf } from "./manifest.ts";

const secretNames = ["DATABASE_URL", "NATS_URL"];

async function environmentOf(set: ValueSet, component: string, ...values: string[]) {
  const pods = podsOf(await renderChart(set, ...values));
  const pod = pods.find((one) => one.component === component);
  const variables = pod?.container.env ?? [];
  const described = variables.map((one): [string, string] => [one.name, describeValue(one)]);
  return { env: Object.fromEntries(described), envFrom: pod?.container.envFrom };
}

function describeValue({ value, valueFrom }: IEnvVar): string {
  const { name, key } = valueFrom?.secretKeyRef ?? {};
  return value ?? `secret ${name}/${key}`;
}

describe.each(valueSets)("with the values of %s, secrets", (set) => {
  it("are referenced, never created", async () => {
    const manifests = await renderChart(set);
    expect(ofKind(manifests, "Secret")).toEqual([]);
    // A URL with a password, unless that is the value of a variable.
    expect(JSON.stringify(manifests)).not.toMatch(/:\/\/[^/@\s"]*:(?!\$\(\w+\)@)[^/@\s"]+@/);
    for (const { component, container } of podsOf(manifests)) {
      const isDevServer = ["postgres", "nats", "simulator"].includes(component);
      for (const { name, value, valueFrom } of container.env ?? []) {
        const isSecret = /SECRET|PASSWORD|TOKEN|_KEY$/.test(name) || secretNames.includes(name);
        if (!isSecret || isDevServer) continue;
        if (set === "dev" && !/_SECRET$/.test(name)) expect(value).toContain("gateway-");
        else expect(valueFrom?.secretKeyRef, `${component} ${name}`).toBeDefined();
      }
    }
  });
});

describe("the environment", () => {
  it("contains the address of every service for the edge", async () => {
    const { env, envFrom } = await environmentOf("defaults", "edge");
    expect(env).toEqual({
      TOLLGATE_FLEET_SECRET: "secret tollgate/TOLLGATE_FLEET_SECRET",
      NATS_URL: "secret tollgate/NATS_URL",
      DATABASE_URL: "secret tollgate/DATABASE_URL",
      TOLLGATE_MIGRATE: "off",
      PORT: "8080",
      TOLLGATE_LISTEN: "*:9090",
      TOLLGATE_OPERATIONS_LISTEN: "*:9092",
      TOLLGATE_DRAIN_SECONDS: "35",
      TOLLGATE_GRACE_SECONDS: "610",
      TOLLGATE_LOG: "info",
      TOLLGATE_CATALOG: "/etc/tollgate/catalog.yaml",
      TOLLGATE_CHAT_ADDRESS: "dns:///gateway-tollgate-chat-headless:9090",
      TOLLGATE_DOCUMENT_ADDRESS: "dns:///gateway-tollgate-document-headless:9090",
      TOLLGATE_DOCUMENT_HTTP_ADDRESS: "gateway-tollgate-document-headless:9091",
      TOLLGATE_IMAGE_ADDRESS: "dns:///gateway-tollgate-image-headless:9090",
      TOLLGATE_AUDIO_ADDRESS: "dns:///gateway-tollgate-audio-headless:9090",
      TOLLGATE_AUDIO_HTTP_ADDRESS: "gateway-tollgate-audio-headless:9091",
      TOLLGATE_BILLING_ADDRESS: "dns:///gateway-tollgate-billing-headless:9090",
      TOLLGATE_LEDGER_ADDRESS: "dns:///gateway-tollgate-ledger-headless:9090",
    });
    expect(envFrom).toBeUndefined();
  });

  it("contains the operators' secret for those that add money or change keys alone", async () => {
    const names = ["edge", "chat", "audio", "document", "image", "billing", "ledger", "console"];
    const envs = await Promise.all(names.map((name) => environmentOf("defaults", name)));
    const having = names.filter((_, index) => envs[index]?.env.TOLLGATE_OPERATOR_SECRET);
    expect(having).toEqual(["billing", "ledger", "console"]);
    expect(envs[5]?.env.TOLLGATE_OPERATOR_SECRET).toBe("secret tollgate/TOLLGATE_OPERATOR_SECRET");
  });

  it("contains the key of stored secrets for billing and those that call providers alone", async () => {
    const names = ["edge", "chat", "audio", "document", "image", "billing", "ledger", "console"];
    const havingWith = async (...values: string[]) => {
      const envs = await Promise.all(
        names.map((name) => environmentOf("defaults", name, ...values)),
      );
      return names.flatMap((name, index) => {
        const from = envs[index]?.env.TOLLGATE_SECRETS_KEY;
        return from === undefined ? [] : [`${name}: ${from}`];
      });
    };
    expect(await havingWith()).toEqual([]);
    const having = ["chat", "audio", "document", "image", "billing"];
    expect(await havingWith("secrets.secretsKey.name=keys")).toEqual(
      having.map((name) => `${name}: secret keys/TOLLGATE_SECRETS_KEY`),
    );
  });

  it("contains the key of stored prompts for billing alone, and nothing of it by default", async () => {
    const names = ["edge", "chat", "audio", "document", "image", "billing", "ledger", "console"];
    const keyOf = async (name: string, ...values: string[]) =>
      (await environmentOf("defaults", name, ...values)).env.TOLLGATE_CONTENT_KEY;
    expect(await keyOf("billing")).toBeUndefined();
    const set = await Promise.all(
      names.map((name) => keyOf(name, "secrets.contentKey.name=contents")),
    );
    expect(set.map((one, index) => [names[index], one]).filter(([, one]) => one)).toEqual([
      ["billing", "secret contents/TOLLGATE_CONTENT_KEY"],
    ]);
  });

  it("contains what sends mail for billing alone, and nothing of it by default", async () => {
    const mail = [
      "secrets.smtp.name=mail",
      "mail.from=no-reply@example.com",
      "signUp.mode=approve",
      "signUp.creditNeedsCard=true",
    ];
    const { env } = await environmentOf("production", "billing", ...mail);
    expect(env).toMatchObject({
      TOLLGATE_SMTP_URL: "secret mail/TOLLGATE_SMTP_URL",
      TOLLGATE_IDENTITY_KEY: "secret tollgate/TOLLGATE_IDENTITY_KEY",
      TOLLGATE_CONSOLE_URL: "https://console.example.com",
      TOLLGATE_SIGNUP: "approve",
      TOLLGATE_SIGNUP_CARD: "on",
    });
    const of = async (name: string, ...values: string[]) => {
      const names = Object.keys((await environmentOf("production", name, ...values)).env);
      return names.filter((one) => /SMTP|MAIL|SIGNUP|IDENTITY/.test(one));
    };
    expect(await of("console", ...mail)).toEqual([]);
    expect(await of("billing", "warnings.webhooks=true")).toEqual(["TOLLGATE_IDENTITY_KEY"]);
    expect(await of("billing", "console.requireTotp=operators")).toEqual(["TOLLGATE_IDENTITY_KEY"]);
    const required = await environmentOf("production", "billing", "console.requireTotp=operators");
    expect(required.env).toMatchObject({ TOLLGATE_REQUIRE_TOTP: "operators" });
    expect(await of("billing")).toEqual([]);
  });

  it("contains the console's settings for the console alone, with its secret from a Secret", async () => {
    const { env, envFrom } = await environmentOf("production", "console");
    expect(env).toMatchObject({
      TOLLGATE_CONSOLE_LISTEN: "*:8081",
      TOLLGATE_CONSOLE_URL: "https://console.example.com",
      TOLLGATE_CUSTOMER_LISTEN: "*:8082",
      TOLLGATE_CUSTOMER_URL: "https://customers.example.com",
      TOLLGATE_CONSOLE_PROXIES: "1",
      TOLLGATE_EDGE_URL: "http://gateway-tollgate-edge:8080",
      TOLLGATE_PUBLIC_URL: "https://api.example.com",
      TOLLGATE_PLAYGROUND_BUDGET: "1",
      TOLLGATE_OIDC_ISSUER: "https://accounts.example.com",
      TOLLGATE_OIDC_CLIENT_ID: "tollgate",
      TOLLGATE_OIDC_CLIENT_SECRET: "secret tollgate-oidc/secret",
      TOLLGATE_OIDC_ROLES: "admins=owner,staff=viewer",
      TOLLGATE_BILLING_ADDRESS: "dns:///gateway-tollgate-billing-headless:9090",
    });
    expect(env).not.toHaveProperty("DATABASE_URL");
    expect(envFrom).toBeUndefined();
    const edge = await environmentOf("production", "edge");
    expect(Object.keys(edge.env).filter((name) => /CONSOLE|OIDC/.test(name))).toEqual([]);
  });

  it("contains Stripe's secrets, from a Secret, for billing alone", async () => {
    const { env } = await environmentOf("production", "billing");
    expect(env).toMatchObject({
      TOLLGATE_STRIPE_KEY: "secret tollgate-stripe/key",
      TOLLGATE_STRIPE_WEBHOOK_SECRET: "secret tollgate-stripe/webhook-secret",
      TOLLGATE_TOP_UPS: "10,25,100",
      TOLLGATE_STATEMENT_ISSUER: "Example GmbH\n1 Example Street\nDE123456789\n",
      TOLLGATE_CONSOLE_URL: "https://console.example.com",
    });
    for (const { component, container } of podsOf(await renderChart("production"))) {
      if (component === "billing") continue;
      const names = (container.env ?? []).map(({ name }) => name);
      expect([component, names.filter((name) => name.includes("STRIPE"))]).toEqual([component, []]);
    }
  });

  it("contains the origins of web pages for the edge alone", async () => {
    const ofEdge = await environmentOf("production", "edge");
    expect(ofEdge.env.TOLLGATE_CORS_ORIGINS).toBe(
      "https://app.example.com,https://beta.example.com",
    );
    const { env } = await environmentOf("production", "billing");
    expect(env).not.toHaveProperty("TOLLGATE_CORS_ORIGINS");
  });

  it("contains a spool and an upload port for audio, and no database", async () => {
    const { env } = await environmentOf("defaults", "audio");
    expect(env).toEqual({
      TOLLGATE_FLEET_SECRET: "secret tollgate/TOLLGATE_FLEET_SECRET",
      NATS_URL: "secret tollgate/NATS_URL",
      TOLLGATE_LISTEN: "*:9090",
      TOLLGATE_HTTP_LISTEN: "*:9091",
      TOLLGATE_UPLOADS_MIB: "896",
      TOLLGATE_OPERATIONS_LISTEN: "*:9092",
      TOLLGATE_DRAIN_SECONDS: "35",
      TOLLGATE_GRACE_SECONDS: "610",
      TOLLGATE_LOG: "info",
      TOLLGATE_CATALOG: "/etc/tollgate/catalog.yaml",
      TOLLGATE_SPOOL_DIR: "/var/lib/tollgate/spool",
      TOLLGATE_LEDGER_ADDRESS: "dns:///gateway-tollgate-ledger-headless:9090",
      TOLLGATE_BILLING_ADDRESS: "dns:///gateway-tollgate-billing-headless:9090",
    });
  });

  it.each([
    ["256Mi", "224"],
    ["1.5Gi", "1344"],
    ["1G", "834"],
    ["1073741824", "896"],
    ["30Mi", "26"],
  ])("limits uploads to less than their volume of %s", async (size, mebibytes) => {
    const values = `services.document.temporaryFilesSize=${size}`;
    const { env } = await environmentOf("defaults", "document", values);
    expect(env.TOLLGATE_UPLOADS_MIB).toBe(mebibytes);
  });

  it("refuses a volume that is too small for an upload", async () => {
    const rendering = renderChart("defaults", "services.audio.temporaryFilesSize=29Mi");
    await expect(rendering).rejects.toThrow(
      "services.audio.temporaryFilesSize must be at least 30Mi",
    );
  });

  it("contains the providers' keys only for services that call providers, and the check of the catalog", async () => {
    const manifests = await renderChart("production");
    const withKeys = podsOf(manifests).filter(({ container }) => container.envFrom);
    expect(withKeys.map(({ component }) => component).sort()).toEqual([
      "audio",
      "catalog-check",
      "chat",
      "document",
      "image",
    ]);
    for (const { container } of withKeys) {
      expect(container.envFrom).toEqual([
        { secretRef: { name: "tollgate-openai" } },
        { secretRef: { name: "tollgate-deepgram" } },
      ]);
    }
    // No pod gets one of these Secrets in another way, as a variable or as a volume.
    for (const { spec } of podsOf(manifests)) {
      const { containers, ...rest } = spec;
      const others = { ...rest, containers: containers.map(({ envFrom: _, ...one }) => one) };
      expect(JSON.stringify(others)).not.toMatch(/tollgate-(openai|deepgram)/);
    }
  });

  it("of the check of the catalog has the address of the simulator, where there is one", async () => {
    const { env } = await environmentOf("dev", "catalog-check");
    expect(env).toEqual({ TOLLGATE_SIMULATOR_URL: expect.stringContaining("-simulator:8080/v1") });
  });

  it("of the check of the catalog has the variables that all services with providers have", async () => {
    const values = [
      "services.defaults.env.VOICE_URL=http://voice:8000/v1",
      "services.audio.env.VOICE_URL=http://voice-audio:8000/v1",
      "services.chat.env.CHAT_ONLY=on",
    ];
    const { env } = await environmentOf("defaults", "catalog-check", ...values);
    // A variable of chat alone stays out: the other services would not start without it.
    expect(env).toEqual({ VOICE_URL: expect.stringContaining("//voice") });
    const each = ["chat", "audio", "document", "image"].map((name) => `services.${name}.env.X=on`);
    expect((await environmentOf("defaults", "catalog-check", ...each)).env).toEqual({ X: "on" });
  });

  it("may set a separate Postgres user for one service", async () => {
    const { env } = await environmentOf("external-secrets", "ledger");
    expect(env.DATABASE_URL).toBe("secret tollgate-postgres-ledger/uri");
    const chat = await environmentOf("external-secrets", "chat");
    expect(chat.env.DATABASE_URL).toBe("secret tollgate-postgres/uri");
  });

  it("prefers a service's own variables to the defaults", async () => {
    const values = ["services.defaults.env.TOLLGATE_X=all", "services.chat.env.TOLLGATE_X=chat"];
    expect((await environmentOf("defaults", "chat", ...values)).env.TOLLGATE_X).toBe("chat");
    expect((await environmentOf("defaults", "image", ...values)).env.TOLLGATE_X).toBe("all");
  });

  it("contains the trace endpoint for every service, and for no other pod", async () => {
    const endpoint = "http://otel-collector.monitoring:4318";
    const values = [`tracing.endpoint=${endpoint}`, "tracing.share=0.05"];
    for (const { component, container } of podsOf(await renderChart("dev", ...values))) {
      const env = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));
      const expected = ["postgres", "nats", "simulator", "test", "catalog-check"].includes(
        component,
      )
        ? [undefined, undefined]
        : [endpoint, "0.05"];
      const actual = [env.OTEL_EXPORTER_OTLP_ENDPOINT, env.OTEL_TRACES_SAMPLER_ARG];
      expect(actual, component).toEqual(expected);
    }
  });

  it("tells the edge alone to trace contents, where the values say so", async () => {
    const variable = "TOLLGATE_TRACE_CONTENT";
    const traced = "tracing.content=true";
    expect((await environmentOf("production", "edge")).env[variable]).toBeUndefined();
    expect((await environmentOf("production", "edge", traced)).env[variable]).toBe("on");
    expect((await environmentOf("production", "billing", traced)).env[variable]).toBeUndefined();
  });

  it("migrates in a hook that runs before the release is installed or upgraded", async () => {
    const { env } = await environmentOf("defaults", "migrate");
    expect(env).toEqual({ DATABASE_URL: "secret tollgate/DATABASE_URL" });
    const hooks = (await renderChart("defaults")).filter(({ metadata }) => {
      return metadata.annotations?.["helm.sh/hook"] === "pre-install,pre-upgrade";
    });
    const ofMigration = hooks.filter(({ metadata }) => metadata.name.endsWith("-migrate"));
    expect(ofMigration.map(({ kind }) => kind).sort()).toEqual(["Job", "ServiceAccount"]);
  });

  it("checks the catalog of the release in a hook that runs before the migration", async () => {
    const manifests = await renderChart("dev");
    const checks = manifests.filter(({ metadata }) => metadata.name.endsWith("-catalog-check"));
    expect(checks.map(({ kind }) => kind).sort()).toEqual(["ConfigMap", "Job"]);
    const catalog = manifests.find(({ metadata }) => metadata.name.endsWith("-catalog"));
    const copy = checks.find(({ kind }) => kind === "ConfigMap");
    expect(copy).toMatchObject({ data: (catalog as { data?: object }).data });
    const existing = (await renderChart("production")).filter(({ metadata }) =>
      metadata.name.endsWith("-catalog-check"),
    );
    expect(existing).toMatchObject([
      {
        kind: "Job",
        metadata: { annotations: { "helm.sh/hook-weight": "-10" } },
        spec: {
          template: { spec: { volumes: [{ configMap: { name: "tollgate-models" } }] } },
        },
      },
    ]);
    const without = await renderChart("dev", "catalog.check=false");
    expect(without.map(({ metadata }) => metadata.name).join()).not.toContain("catalog-check");
  });

  it("lets the services migrate when no Job can run before them", async () => {
    for (const set of ["dev", "minimal"] as const) {
      expect((await environmentOf(set, "ledger")).env).not.toHaveProperty("TOLLGATE_MIGRATE");
      expect(podsOf(await renderChart(set)).map(({ component }) => component)).not.toContain(
        "migrate",
      );
    }
  });

  it("contains a valid catalog", async () => {
    for (const [set, models] of [
      ["defaults", 0],
      ["dev", 2],
    ] as const) {
      const maps = ofKind<IConfigMap>(await renderChart(set), "ConfigMap");
      const catalog = maps.find(({ data }) => data?.["catalog.yaml"]);
      expect(parseCatalog(catalog?.data?.["catalog.yaml"] ?? "", vendors).models.size).toBe(models);
    }
  });
});
