import { readFile } from "node:fs/promises";
import { serviceNames } from "@tollgate/runtime/service";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

interface ComposeService {
  image: string;
  command?: string[];
  read_only?: boolean;
  cap_drop?: string[];
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
        environment: { TOLLGATE_MIGRATE: "off", NATS_URL: "nats://nats:4222" },
      });
      const { test } = services[name]?.healthcheck ?? {};
      expect(
        test?.every((word) => typeof word === "string"),
        name,
      ).toBe(true);
      expect(test?.at(-1), name).toContain("/readyz");
    }
  });

  it("publishes only the edge's port", () => {
    const open = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    expect(open.map(([name]) => name)).toEqual(["edge"]);
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
