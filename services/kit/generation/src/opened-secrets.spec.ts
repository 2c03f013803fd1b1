import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { createLog } from "@tollgate/core/log";
import { readSecretsKey } from "@tollgate/core/secrets-key";
import { StoredSecretSchema } from "@tollgate/proto/tollgate/v1/secret";
import { describe, expect, test } from "vitest";
import { OpenedSecrets } from "./opened-secrets.ts";

const log = createLog("silent");
const key = readSecretsKey(randomBytes(32).toString("hex"));

function stored(name: string, value: string, version = value) {
  return create(StoredSecretSchema, { name, version, ...key.seal(name, value) });
}

describe("stored secrets", () => {
  test("have the value that was read last, and tell which have changed", () => {
    const secrets = new OpenedSecrets(key, log);
    expect(secrets.current("a")).toBeUndefined();
    const first = [stored("a", "one"), stored("b", "two")];
    expect(secrets.replaceAll("1", first)).toEqual(["a", "b"]);
    expect([secrets.current("a"), secrets.current("b")]).toEqual(["one", "two"]);
    const next = [stored("a", "three"), ...first.slice(1)];
    expect(secrets.replaceAll("2", next)).toEqual(["a"]);
    expect([secrets.current("a"), secrets.current("b")]).toEqual(["three", "two"]);
    expect(secrets.replaceAll("3", next.slice(1))).toEqual(["a"]);
    expect(secrets.current("a")).toBeUndefined();
    expect(secrets.version).toBe("3");
  });

  test("are hidden in texts with the value before, also when they were removed", () => {
    const secrets = new OpenedSecrets(key, log);
    secrets.replaceAll("1", [stored("a", "one")]);
    secrets.current("a");
    secrets.replaceAll("2", [stored("a", "two")]);
    secrets.current("a");
    expect(secrets.recent("a")).toEqual(["two", "one"]);
    secrets.replaceAll("3", []);
    expect(secrets.recent("a")).toEqual(["two"]);
  });

  test("count as used when a request takes their value, once for each report", () => {
    const secrets = new OpenedSecrets(key, log);
    secrets.replaceAll("1", [stored("a", "one"), stored("b", "two")]);
    expect(secrets.problemOf("b")).toBeUndefined();
    secrets.current("a");
    expect([secrets.takeUsed(), secrets.takeUsed()]).toEqual([["a"], []]);
  });

  test("say why they have no value", () => {
    const secrets = new OpenedSecrets(readSecretsKey(randomBytes(32).toString("hex")), log);
    secrets.replaceAll("1", [stored("a", "one")]);
    expect(secrets.current("a")).toBeUndefined();
    expect(secrets.problemOf("a")).toMatch(/cannot be read: TOLLGATE_SECRETS_KEY has no key/);
    expect(secrets.problemOf("b")).toMatch(/has no value/);
    const keyless = new OpenedSecrets(undefined, log);
    keyless.replaceAll("1", [stored("a", "one")]);
    expect(keyless.problemOf("a")).toMatch(/TOLLGATE_SECRETS_KEY is not set/);
  });
});
