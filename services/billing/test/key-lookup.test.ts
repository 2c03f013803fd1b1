import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { KeyState } from "@tollgate/proto/tollgate/v1/billing";
import { Admission } from "@tollgate/proto/tollgate/v1/caller";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createAccount, updateAccount } from "../src/accounts.ts";
import type { PrismaClient } from "../src/generated/client.ts";
import { createKeyLookup, findEndedKeys } from "../src/key-lookup.ts";
import type { KeyPolicy } from "../src/key-policy.ts";
import { hashOfKey, newKeyText } from "../src/key-text.ts";
import { createKey, type NewKey, newKeyId, revokeKey, rotateKey, updateKey } from "../src/keys.ts";
import { type BillingDatabase, openBillingDatabase } from "./billing-database.ts";

type NewKeyFields = Partial<KeyPolicy & Pick<NewKey, "channel" | "requestsPerMinute">>;

describe("a key lookup", () => {
  let database: BillingDatabase;
  let pool: pg.Pool;
  let prisma: PrismaClient;

  beforeAll(async () => {
    database = await openBillingDatabase();
    ({ pool, prisma } = database);
  });

  afterAll(() => database.stop());

  function newAccount(admission = "") {
    return createAccount(prisma, { name: `account ${randomUUID()}`, admission }, async () => false);
  }

  /** Creates a key of an account. Returns its text and what a lookup finds. */
  async function newKey(
    { id: accountId }: { id: string },
    { channel = "", requestsPerMinute = null, ...policy }: NewKeyFields = {},
  ) {
    const none: KeyPolicy = { name: "", owner: "", tags: [], models: [], expiresAt: null };
    const keyId = newKeyId();
    const fields = {
      keyId,
      accountId,
      memberId: null,
      channel,
      isLimited: false,
      requestsPerMinute,
    };
    const { key } = await createKey(prisma, { ...fields, policy: { ...none, ...policy } });
    return { key, keyId, channel };
  }

  const now = () => new Date();

  test("finds each of many keys, in one statement", async () => {
    const account = await newAccount();
    const plain = await newKey(account);
    const settlement = await newKey(account, { channel: "settlement" });
    const revoked = await newKey(account);
    await revokeKey(prisma, revoked.keyId, new Date());
    const lookup = createKeyLookup(pool, Admission.LIKELY, now);
    const query = vi.spyOn(pool, "query");
    const texts = [settlement.key, newKeyText(), revoked.key, plain.key, settlement.key];
    const found = await Promise.all(texts.map((text) => lookup(hashOfKey(text))));
    expect(query).toHaveBeenCalledOnce();
    query.mockRestore();
    const { ACTIVE, REVOKED, UNKNOWN } = KeyState;
    const endUserSalt = found[0]?.endUserSalt ?? expect.unreachable();
    expect(endUserSalt).toHaveLength(36);
    const of = ({ keyId, channel }: typeof plain, state = ACTIVE) => ({
      state,
      keyId,
      accountId: account.id,
      channel,
      admission: Admission.LIKELY,
      plan: "",
      models: [],
      isLimited: false,
      storesContent: false,
      endUserSalt,
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
    const { key } = await newKey(chosen);
    const lookup = createKeyLookup(pool, Admission.STRICT, now);
    expect(await lookup(hashOfKey(key))).toMatchObject({ admission: Admission.WHOLE });
    await updateAccount(prisma, chosen.id, { admission: "" });
    expect(await lookup(hashOfKey(key))).toMatchObject({ admission: Admission.STRICT });
    await expect(updateAccount(prisma, chosen.id, { admission: "any" })).rejects.toMatchObject({
      code: "invalid_param",
      param: "admission",
    });
  });

  test("finds the plan of the account", async () => {
    const account = await newAccount();
    const { key } = await newKey(account);
    const lookup = createKeyLookup(pool, Admission.LIKELY, now);
    await updateAccount(prisma, account.id, { plan: "gold" });
    expect(await lookup(hashOfKey(key))).toMatchObject({ plan: "gold" });
  });

  test("finds which of many keys are revoked", async () => {
    const account = await newAccount();
    const [active, first, second] = await Promise.all(
      ["", "", "settlement"].map((channel) => newKey(account, { channel })),
    );
    for (const { keyId } of [first, second] as { keyId: string }[]) {
      await revokeKey(prisma, keyId, new Date());
    }
    const keys = [active?.key, first?.key, newKeyText(), second?.key];
    const hashes = keys.map((key) => hashOfKey(key ?? "").toString("hex"));
    const found = await findEndedKeys(
      pool,
      hashes.map((hash) => Buffer.from(hash, "hex")),
      now(),
    );
    expect(found.map(({ keyHash }) => Buffer.from(keyHash).toString("hex")).sort()).toEqual(
      [hashes[1], hashes[3]].sort(),
    );
    expect(await findEndedKeys(pool, [], now())).toEqual([]);
  });

  test("a key that has expired is found as expired, from that moment on", async () => {
    const expiresAt = new Date(Date.now() + 60_000);
    const { key } = await newKey(await newAccount(), { expiresAt });
    const at = { time: new Date(expiresAt.getTime() - 1) };
    const lookup = createKeyLookup(pool, Admission.LIKELY, () => at.time);
    const expected = { expiresAt: timestampFromDate(expiresAt) };
    const { ACTIVE, EXPIRED } = KeyState;
    expect(await lookup(hashOfKey(key))).toMatchObject({ state: ACTIVE, ...expected });
    at.time = expiresAt;
    expect(await lookup(hashOfKey(key))).toMatchObject({ state: EXPIRED, ...expected });
    expect(await findEndedKeys(pool, [hashOfKey(key)], at.time)).toMatchObject([
      { state: EXPIRED },
    ]);
  });

  test("after a rotation both texts are the same key, until the grace has ended", async () => {
    const { key: first, keyId } = await newKey(await newAccount(), { models: ["acme-*"] });
    const at = new Date();
    const { key: second } = await rotateKey(prisma, keyId, at, new Date(at.getTime() + 60_000));
    const { key: third } = await rotateKey(prisma, keyId, at, new Date(at.getTime() + 30_000));
    const states = async (later: number) => {
      const time = new Date(at.getTime() + later);
      const lookup = createKeyLookup(pool, Admission.LIKELY, () => time);
      const found = await Promise.all([first, second, third].map((key) => lookup(hashOfKey(key))));
      for (const one of found) expect(one).toMatchObject({ keyId, models: ["acme-*"] });
      return found.map(({ state }) => state);
    };
    const { ACTIVE, EXPIRED } = KeyState;
    expect(await states(29_999)).toEqual([ACTIVE, ACTIVE, ACTIVE]);
    expect(await states(30_000)).toEqual([EXPIRED, EXPIRED, ACTIVE]);
  });

  test("finds whether a key or its account has limits", async () => {
    const account = await newAccount();
    const { key, keyId } = await newKey(account);
    const lookup = createKeyLookup(pool, Admission.LIKELY, now);
    const isLimited = async () => (await lookup(hashOfKey(key))).isLimited;
    expect(await isLimited()).toBe(false);
    await updateKey(prisma, keyId, { isLimited: true });
    expect(await isLimited()).toBe(true);
    await updateKey(prisma, keyId, { isLimited: false });
    await updateAccount(prisma, account.id, { isLimited: true });
    expect(await isLimited()).toBe(true);
  });

  test("finds the key's own limit of requests", async () => {
    const account = await newAccount();
    const { key, keyId } = await newKey(account, { requestsPerMinute: 4_294_967_295n });
    const lookup = createKeyLookup(pool, Admission.LIKELY, now);
    expect(await lookup(hashOfKey(key))).toMatchObject({ requestsPerMinute: 4_294_967_295 });
    await updateKey(prisma, keyId, { requestsPerMinute: null });
    expect(await lookup(hashOfKey(key))).not.toHaveProperty("requestsPerMinute");
  });

  test("rejects all lookups of a batch that fails", async () => {
    const unreachable = new pg.Pool({ host: "127.0.0.1", port: 1 });
    const lookup = createKeyLookup(unreachable, Admission.LIKELY, now);
    const lookups = ["one", "two"].map((text) => lookup(hashOfKey(text)));
    for (const result of await Promise.allSettled(lookups)) expect(result.status).toBe("rejected");
    await unreachable.end();
  });
});
