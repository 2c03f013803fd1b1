import { randomUUID } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import { createLog } from "@tollgate/core/log";
import { createDatabase } from "@tollgate/local/postgres";
import { KeyState } from "@tollgate/proto/tollgate/v1/billing";
import { openDatabase } from "@tollgate/runtime/database/pool";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { createAccount } from "../src/accounts.ts";
import { PrismaClient } from "../src/generated/client.ts";
import { createKey, createKeyLookUp, hashOfKey, newKeyText, revokeKey } from "../src/keys.ts";
import { billingSchema } from "../src/schema.ts";

describe("looking keys up", () => {
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

  test("answers each of many for itself, in one statement", async () => {
    const account = await createAccount(prisma, `account ${randomUUID()}`, async () => false);
    const plain = await createKey(prisma, account.id, "");
    const settlement = await createKey(prisma, account.id, "settlement");
    const revoked = await createKey(prisma, account.id, "");
    await revokeKey(prisma, revoked.keyId, new Date());
    const lookUp = createKeyLookUp(pool);
    const query = vi.spyOn(pool, "query");
    const texts = [settlement.key, newKeyText(), revoked.key, plain.key, settlement.key];
    const found = await Promise.all(texts.map((text) => lookUp(hashOfKey(text))));
    expect(query).toHaveBeenCalledOnce();
    query.mockRestore();
    const { ACTIVE, REVOKED, UNKNOWN } = KeyState;
    const of = ({ keyId, channel }: typeof plain, state = ACTIVE) => ({
      state,
      keyId,
      accountId: account.id,
      channel,
    });
    expect(found).toEqual([
      of(settlement),
      { state: UNKNOWN },
      of(revoked, REVOKED),
      of(plain),
      of(settlement),
    ]);
  });

  test("raises where it cannot, to all that asked", async () => {
    const away = new pg.Pool({ host: "127.0.0.1", port: 1 });
    const lookUp = createKeyLookUp(away);
    const asked = ["one", "two"].map((text) => lookUp(hashOfKey(text)));
    for (const result of await Promise.allSettled(asked)) expect(result.status).toBe("rejected");
    await away.end();
  });
});
