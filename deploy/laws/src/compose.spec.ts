import { readFile } from "node:fs/promises";
import { serviceNames } from "@tollgate/runtime/service";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

interface ComposeService {
  image: string;
  command?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  env_file?: { path: string; required: boolean }[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  ports?: string[];
}

const file = new URL("../../compose.yaml", import.meta.url);
const { services } = parse(await readFile(file, "utf8"), { merge: true }) as {
  services: Record<string, ComposeService>;
};

describe("the Compose file", () => {
  it("runs every service of the fleet, with the host name that the others use", () => {
    for (const name of serviceNames) {
      expect(services[name], name).toMatchObject({
        image: "tollgate",
        command: ["--target", name],
        read_only: true,
        cap_drop: ["ALL"],
        environment: {
          TOLLGATE_MIGRATE: "off",
          NATS_URL: expect.stringMatching(/^nats:\/\/tollgate:\$\{NATS_PASSWORD:\?\}@nats:4222$/),
        },
      });
      const { test } = services[name]?.healthcheck ?? {};
      expect(
        test?.every((word) => typeof word === "string"),
        name,
      ).toBe(true);
      expect(test?.at(-1), name).toContain("/readyz");
    }
  });

  it("publishes only the edge's port and, on this machine alone, the console's", () => {
    const open = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    expect(open.map(([name]) => name).sort()).toEqual(["console", "edge"]);
    expect(services.console?.ports?.join()).toMatch(/:-127\.0\.0\.1:8081\}:8081$/);
  });

  it("gives the providers' keys only to the services that call providers", () => {
    const { console: consoleService, billing, ...others } = services;
    expect(consoleService?.env_file).toEqual([{ path: "console.env", required: false }]);
    expect(billing?.env_file).toEqual([
      { path: "payments.env", required: false },
      { path: "customers.env", required: false },
    ]);
    const receivers = Object.entries(others).filter(([, service]) => service.env_file);
    expect(receivers.map(([name]) => name).sort()).toEqual(["audio", "chat", "document", "image"]);
    for (const [name, { env_file }] of receivers) {
      expect([name, env_file]).toEqual([name, [{ path: "providers.env", required: false }]]);
    }
    // The key that opens the stored ones is also billing's. No service gets a key in another way.
    const openers = [...receivers.map(([name]) => name), "billing"];
    for (const [name, { environment = {} }] of Object.entries(services)) {
      const keys = Object.keys(environment).filter((variable) => /_KEY$/.test(variable));
      const expected = openers.includes(name) ? ["TOLLGATE_SECRETS_KEY"] : [];
      if (name === "billing") expected.push("TOLLGATE_CONTENT_KEY");
      expect([name, keys]).toEqual([name, expected]);
    }
  });

  it("reads its secrets from the environment, and does not start without them", () => {
    for (const [name, { environment = {} }] of Object.entries(services)) {
      for (const [variable, value] of Object.entries(environment)) {
        if (!/SECRET|PASSWORD|DATABASE_URL/.test(variable)) continue;
        expect(value, `${name} ${variable}`).toMatch(/\$\{\w+:\?\}/);
      }
    }
  });
});
