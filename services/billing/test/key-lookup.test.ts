import { randomUUID } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import { createLog } from "@tollgate/core/log";
import { createDatabase } from "@tollgate/local/postgres";
import { KeyState } from "@tollgate/proto/tollgate/v1/billing";
import { Admission } from "@tollgate/proto/tollgate/v1/caller";
import { openDatabase } from "@tollgate/runtime/database/pool";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { createAccount, updateAccount } from "../src/accounts.ts";
import { PrismaClient } from "../src/generated/client.ts";
import {
  createKey,
  createKeyLookup,
  findEndedKeys,
  hashOfKey,
  newKeyText,
  revokeKey,
} from "../src/keys.ts";
import { billingSchema } from "../src/schema.ts";

describe("a key lookup", () => {
  let pool: pg.Pool;
  let prisma: PrismaClient;

  beforeAll(async () => {
    const name = `billing_${randomUUID().replaceAll("-", "")}`;
    pool = await openDatabase({
      url: await createDatabase(inject("postgresUrl"), name),
      schema: billingSchema,
      maxConnections: 4,
      log: createLog("silent"),
    });
    prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: "billing" }) });
  });

  afterAll(async () => {
    await prisma.$disconnect();
    await pool.end();
  });

  function newAccount(admission = "") {
    return createAccount(prisma, { name: `account ${randomUUID()}`, admission }, async () => false);
  }

  test("finds each of many keys, in one statement", async () => {
    const account = await newAccount();
    const plain = await createKey(prisma, account.id, "");
    const settlement = await createKey(prisma, account.id, "settlement");
    const revoked = await createKey(prisma, account.id, "");
    await revokeKey(prisma, revoked.keyId, new Date());
    const lookup = createKeyLookup(pool, Admission.LIKELY);
    const query = vi.spyOn(pool, "query");
    const texts = [settlement.key, newKeyText(), revoked.key, plain.key, settlement.key];
    const found = await Promise.all(texts.map((text) => lookup(hashOfKey(text))));
    expect(query).toHaveBeenCalledOnce();
    query.mockRestore();
    const { ACTIVE, REVOKED, UNKNOWN } = KeyState;
    const of = ({ keyId, channel }: typeof plain, state = ACTIVE) => ({
      state,
      keyId,
      accountId: account.id,
      channel,
      admission: Admission.LIKELY,
    });
    expect(found).toEqual([
      of(settlement),
      { state: UNKNOWN },
      of(revoked, REVOKED),
      of(plain),
      of(settlement),
    ]);
  });

  test("finds the admission policy of the account, or else the gateway's", async () => {
    const chosen = await newAccount("whole");
    const { key } = await createKey(prisma, chosen.id, "");
    const lookup = createKeyLookup(pool, Admission.STRICT);
    expect(await lookup(hashOfKey(key))).toMatchObject({ admission: Admission.WHOLE });
    await updateAccount(prisma, chosen, "");
    expect(await lookup(hashOfKey(key))).toMatchObject({ admission: Admission.STRICT });
    await expect(updateAccount(prisma, chosen, "any")).rejects.toMatchObject({
      code: "invalid_param",
      param: "admission",
    });
  });

  test("finds which of many keys are revoked", async () => {
    const account = await newAccount();
    const [active, first, second] = await Promise.all(
      ["", "", "settlement"].map((channel) => createKey(prisma, account.id, channel)),
    );
    for (const { keyId } of [first, second] as { keyId: string }[]) {
      await revokeKey(prisma, keyId, new Date());
    }
    const keys = [active?.key, first?.key, newKeyText(), second?.key];
    const hashes = keys.map((key) => hashOfKey(key ?? "").toString("hex"));
    const found = await findEndedKeys(
      pool,
      hashes.map((hash) => Buffer.from(hash, "hex")),
    );
    expect(found.map(({ keyHash }) => Buffer.from(keyHash).toString("hex")).sort()).toEqual(
      [hashes[1], hashes[3]].sort(),
    );
    expect(await findEndedKeys(pool, [])).toEqual([]);
  });

  test("rejects all lookups of a batch that fails", async () => {
    const unreachable = new pg.Pool({ host: "127.0.0.1", port: 1 });
    const lookup = createKeyLookup(unreachable, Admission.LIKELY);
    const lookups = ["one", "two"].map((text) => lookup(hashOfKey(text)));
    for (const result of await Promise.allSettled(lookups)) expect(result.status).toBe("rejected");
    await unreachable.end();
  });
});
