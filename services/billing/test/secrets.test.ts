import { randomBytes, randomUUID } from "node:crypto";
import type { Provider } from "@tollgate/catalog/model";
import { createLog } from "@tollgate/core/log";
import { readSecretsKey } from "@tollgate/core/secrets-key";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { SecretService } from "@tollgate/proto/tollgate/v1/secret";
import { createClient } from "@tollgate/rpc/client";
import { bindService } from "@tollgate/rpc/implementation";
import { createLocalTransport } from "@tollgate/rpc/local-transport";
import { localNotices } from "@tollgate/runtime/broker/notices";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localActor } from "../src/actor.ts";
import type { PrismaClient } from "../src/generated/client.ts";
import { implementOperator } from "../src/operator/operator.ts";
import type { OperatorParts } from "../src/operator/parts.ts";
import { implementSecretReads } from "../src/secrets/read-secrets.ts";
import { type BillingDatabase, openBillingDatabase } from "./billing-database.ts";

const old = randomBytes(32).toString("base64");
const next = randomBytes(32).toString("hex");
const log = createLog("silent");

describe("stored secrets", () => {
  let database: BillingDatabase;
  let pool: pg.Pool;
  let prisma: PrismaClient;

  beforeAll(async () => {
    database = await openBillingDatabase();
    ({ pool, prisma } = database);
  });

  afterAll(() => database.stop());

  /** Returns the calls of a gateway with a key, whose catalog has a provider with the secret `used`. */
  function world(keys: string | undefined, used = "nothing") {
    const notices = localNotices();
    const provider = { name: "near", secret: used } as Provider;
    const parts = {
      prisma,
      secretsKey: keys === undefined ? undefined : readSecretsKey(keys),
      catalog: () => ({
        providers: new Map([["near", provider]]),
        models: new Map(),
        plans: new Map(),
        limits: { requestsPerMinute: 1, tokensPerMinute: 1 },
      }),
      notices,
      actor: { ...localActor, kind: "operator", id: "op_1", name: "ada" },
      now: () => new Date(),
    } as Partial<OperatorParts> as OperatorParts;
    const transport = createLocalTransport(log);
    transport.add(bindService(OperatorService, implementOperator(parts)));
    transport.add(bindService(SecretService, implementSecretReads(pool, parts.now)));
    return {
      operator: createClient(OperatorService, transport),
      reader: createClient(SecretService, transport),
      notices,
    };
  }

  const newName = () => `secret-${randomUUID()}`;
  const newValue = () => `sk-${randomUUID()}`;

  test("are read sealed, with a version that changes with each change", async () => {
    const { operator, reader } = world(old);
    const [name, value] = [newName(), newValue()];
    const before = await reader.readSecrets({});
    await operator.setSecret({ name, value: `  ${value}\n` });
    const { version, secrets } = await reader.readSecrets({ knownVersion: before.version });
    const found = secrets.find((one) => one.name === name);
    expect(found && readSecretsKey(old).open(name, found)).toBe(value);
    expect(await reader.readSecrets({ knownVersion: version })).toMatchObject({
      version,
      secrets: [],
    });
    await operator.setSecret({ name, value: newValue() });
    const changed = await reader.readSecrets({ knownVersion: version });
    expect(changed.version).not.toBe(version);
    await operator.removeSecret({ name });
    const removed = await reader.readSecrets({ knownVersion: changed.version });
    expect(removed.secrets.map((one) => one.name)).not.toContain(name);
    expect(removed.version).not.toBe(changed.version);
  });

  test("are listed with their hint, who set them and their last use, and are nowhere in the database", async () => {
    const { operator, reader } = world(old);
    const [name, value] = [newName(), newValue()];
    const { secret } = await operator.setSecret({ name, value });
    const hint = `sk-…${value.slice(-4)}`;
    expect(secret).toMatchObject({
      name,
      hint,
      setByKind: "operator",
      setBy: "ada",
      providers: [],
    });
    await reader.readSecrets({ used: [name] });
    const { secrets } = await operator.listSecrets({});
    const listed = secrets.find((one) => one.name === name);
    expect(listed).toMatchObject({ hint, isWrappedByFirst: true, lastUsedAt: expect.anything() });
    const rows = await pool.query(
      `SELECT query_to_xml('SELECT * FROM billing.provider_secret', true, false, '')::text AS all
       UNION ALL SELECT query_to_xml('SELECT * FROM billing.audit_record', true, false, '')::text`,
    );
    const dump = JSON.stringify(rows.rows);
    expect(dump).toContain(name);
    for (const form of [value, Buffer.from(value).toString("base64"), hexOf(value)]) {
      expect(dump).not.toContain(form);
    }
  });

  test("are read at once by the services that call providers, after a notice of each change", async () => {
    const { operator, reader, notices } = world(old);
    const name = newName();
    const reads: Promise<string | undefined>[] = [];
    notices.subscribe("secret.changed", (changed) => {
      const read = reader.readSecrets({}).then(({ secrets }) => {
        const found = secrets.find((one) => one.name === changed);
        return found && readSecretsKey(old).open(changed, found);
      });
      reads.push(read);
    });
    // Each change is read before the next one is made.
    await operator.setSecret({ name, value: "value-1" });
    await Promise.all(reads);
    await operator.setSecret({ name, value: "value-2" });
    await Promise.all(reads);
    await operator.removeSecret({ name });
    expect(await Promise.all(reads)).toEqual(["value-1", "value-2", undefined]);
  });

  test("of few characters show none of them", async () => {
    const { operator } = world(old);
    const { secret } = await operator.setSecret({ name: newName(), value: "short-value" });
    expect(secret?.hint).toBe("…");
  });

  test("are audited without their value", async () => {
    const { operator } = world(old);
    const name = newName();
    const values = [newValue(), newValue()];
    for (const value of values) await operator.setSecret({ name, value });
    await operator.removeSecret({ name });
    const { records } = await operator.listAudit({ limit: 1_000 });
    const own = records.filter(({ subjectId }) => subjectId === name);
    expect(own.map(({ action, actorName }) => [action, actorName])).toEqual([
      ["RemoveSecret", "ada"],
      ["SetSecret", "ada"],
      ["SetSecret", "ada"],
    ]);
    const hints = values.map((value) => `sk-…${value.slice(-4)}`);
    expect(JSON.parse(own[1]?.before ?? "")).toMatchObject({ hint: hints[0] });
    expect(JSON.parse(own[1]?.after ?? "")).toMatchObject({ hint: hints[1] });
  });

  test("that the catalog names are not removed, and those without a value are missing", async () => {
    const name = newName();
    const { operator } = world(old, name);
    expect((await operator.listSecrets({})).missing).toEqual([name]);
    await operator.setSecret({ name, value: newValue() });
    expect((await operator.listSecrets({})).missing).toEqual([]);
    await expect(operator.removeSecret({ name })).rejects.toMatchObject({
      code: "invalid_param",
      message: "name is the key of near in the catalog in use.",
    });
    await world(old).operator.removeSecret({ name });
    await expect(operator.removeSecret({ name })).rejects.toMatchObject({ code: "not_found" });
  });

  test("are wrapped again under a new key, and then need the old one no longer", async () => {
    const [name, value] = [newName(), newValue()];
    await world(old).operator.setSecret({ name, value });
    const { operator, reader } = world(`${next},${old}`);
    const isWrapped = async () => {
      const { secrets } = await operator.listSecrets({});
      return secrets.find((one) => one.name === name)?.isWrappedByFirst;
    };
    expect(await isWrapped()).toBe(false);
    const { version } = await reader.readSecrets({});
    expect((await operator.rekeySecrets({})).rewrapped).toBeGreaterThan(0);
    expect(await isWrapped()).toBe(true);
    const { secrets } = await reader.readSecrets({ knownVersion: version });
    const found = secrets.find((one) => one.name === name);
    expect(found && readSecretsKey(next).open(name, found)).toBe(value);
    expect((await operator.rekeySecrets({})).rewrapped).toBe(0);
    await expect(world(old).operator.rekeySecrets({})).rejects.toThrow(/has no key/);
    await world(`${old},${next}`).operator.rekeySecrets({});
  });

  test.each([
    [{ name: "Upper", value: "v" }, "name must be at most 63"],
    [{ name: "", value: "v" }, "name must be at most 63"],
    [{ name: "fine", value: " \n" }, "value is required"],
    [{ name: "fine", value: "two words" }, "value must have only printable ASCII"],
    [{ name: "fine", value: "clé-secrète" }, "value must have only printable ASCII"],
    [{ name: "fine", value: "x".repeat(8_193) }, "value must have at most 8192"],
  ])("are not set by %j", async (request, message) => {
    const failure = world(old).operator.setSecret(request);
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toMatchObject({ code: "invalid_param" });
  });

  test("need TOLLGATE_SECRETS_KEY", async () => {
    const failure = world(undefined).operator.setSecret({ name: "fine", value: "v" });
    await expect(failure).rejects.toThrow(/TOLLGATE_SECRETS_KEY is not set/);
  });
});

function hexOf(text: string): string {
  return Buffer.from(text).toString("hex");
}
