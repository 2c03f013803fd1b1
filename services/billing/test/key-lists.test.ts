import { randomUUID } from "node:crypto";
import { createLog } from "@tollgate/core/log";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { AccountOrder, KeyOrder } from "@tollgate/proto/tollgate/v1/operator";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount, findAccountNames, listAccounts } from "../src/accounts.ts";
import type { PrismaClient } from "../src/generated/client.ts";
import type { KeyPolicy } from "../src/key-policy.ts";
import { hashOfKey } from "../src/key-text.ts";
import { recordKeyUses } from "../src/key-uses.ts";
import { createKey, newKeyId, requireKey, requireKeyOfHash, rotateKey } from "../src/keys.ts";
import { findLabelledKeys } from "../src/labelled-keys.ts";
import { listKeys } from "../src/listed-keys.ts";
import { nameRows } from "../src/operator/names.ts";
import { type BillingDatabase, openBillingDatabase } from "./billing-database.ts";

describe("lists of keys and accounts", () => {
  let database: BillingDatabase;
  let pool: pg.Pool;
  let prisma: PrismaClient;
  const log = createLog("silent");

  beforeAll(async () => {
    database = await openBillingDatabase();
    ({ pool, prisma } = database);
  });

  afterAll(() => database.stop());

  function newAccount(name: string) {
    return createAccount(prisma, { name, admission: "" }, async () => false);
  }

  async function newKey(accountId: string, policy: Partial<KeyPolicy>) {
    const none: KeyPolicy = { name: "", owner: "", tags: [], models: [], expiresAt: null };
    const { key, stored } = await createKey(prisma, {
      ...{ keyId: newKeyId(), accountId, memberId: null, channel: "", isLimited: false },
      ...{ requestsPerMinute: null, policy: { ...none, ...policy } },
    });
    return { text: key, id: stored.id, shown: stored.secrets[0]?.shownKey ?? "" };
  }

  /** Resolves with the ids of all pages of one row each. */
  async function pagesOf(accountId: string, order: KeyOrder, search = ""): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const beforeKeyId = ids.at(-1) ?? "";
      const page = { accountId, search, order, beforeKeyId, limit: 1 };
      const { keys, hasMore } = await listKeys(prisma, page);
      ids.push(...keys.map(({ id }) => id));
      if (!hasMore) return ids;
    }
  }

  test("keys are found by their names, owners, tags, ids and the ends of their texts", async () => {
    const { id: accountId } = await newAccount(randomUUID());
    const build = await newKey(accountId, { name: "Build 100%", owner: "ada", tags: ["nightly"] });
    const other = await newKey(accountId, { name: "build_2" });
    const found = (search: string) => pagesOf(accountId, KeyOrder.UNSPECIFIED, search);
    expect(await found("BUILD")).toEqual([other.id, build.id]);
    for (const search of ["100%", "Ada", "night", build.id, build.shown, build.shown.slice(-4)]) {
      expect([search, await found(search)]).toEqual([search, [build.id]]);
    }
    expect(await found("_")).toEqual([other.id, build.id]);
    expect(await found("d_2")).toEqual([other.id]);
    expect(await found("%%")).toEqual([]);
    expect(await found(build.text)).toEqual([]);
    await expect(found("x".repeat(201))).rejects.toMatchObject({ param: "search" });
  });

  test("a filter is for the keys with its tag and owner, or excludes all keys with any", async () => {
    const { id: accountId } = await newAccount(randomUUID());
    const tagged = await newKey(accountId, { tags: ["a", "b"] });
    const owned = await newKey(accountId, { tags: ["a"], owner: "ada" });
    await newKey(accountId, {});
    const find = (filter: object) =>
      findLabelledKeys(prisma, { accountId, tag: "", owner: "", without: [], ...filter });
    expect(await find({})).toEqual({});
    expect(await find({ tag: "a", owner: "ada" })).toEqual({ keys: { ids: [owned.id] } });
    const excluded = await find({ without: [UsageBy.TAG, UsageBy.PLAN] });
    expect(excluded.keys).toBeUndefined();
    expect(excluded.excludedKeys?.ids.toSorted()).toEqual([tagged.id, owned.id].toSorted());
    const { excludedKeys } = await find({ without: [UsageBy.OWNER] });
    expect(excludedKeys?.ids).toEqual([owned.id]);
  });

  test("keys are listed newest first, by name, or last used first, a page at a time", async () => {
    const { id: accountId } = await newAccount(randomUUID());
    const [c, a, b] = [
      await newKey(accountId, { name: "c" }),
      await newKey(accountId, { name: "A" }),
      await newKey(accountId, { name: "b" }),
    ];
    const at = { time: Date.parse("2026-03-01T12:00Z") };
    const uses = recordKeyUses(pool, log, () => new Date(at.time));
    uses.note(hashOfKey(c.text));
    at.time += 60_000;
    uses.note(hashOfKey(a.text));
    await uses.stop();
    expect(await pagesOf(accountId, KeyOrder.UNSPECIFIED)).toEqual([b.id, a.id, c.id]);
    expect(await pagesOf(accountId, KeyOrder.NAME)).toEqual([a.id, b.id, c.id]);
    expect(await pagesOf(accountId, KeyOrder.LAST_USED)).toEqual([a.id, c.id, b.id]);
  });

  test("the last use of a text is stored within a minute, and never set back", async () => {
    const { id: accountId } = await newAccount(randomUUID());
    const { id, text } = await newKey(accountId, {});
    const first = Date.parse("2026-03-01T12:00Z");
    const usedAt = async (ms: number) => {
      const uses = recordKeyUses(pool, log, () => new Date(first + ms));
      uses.note(hashOfKey(text));
      await uses.stop();
      const [secret] = (await requireKey(prisma, id)).secrets;
      return (secret?.lastUsedAt?.getTime() ?? 0) - first;
    };
    expect(await usedAt(0)).toBe(0);
    expect(await usedAt(60_000)).toBe(0);
    expect(await usedAt(60_001)).toBe(60_001);
    expect(await usedAt(0)).toBe(60_001);
  });

  test("a key is found by the hash of its text, also of one that was replaced", async () => {
    const { id: accountId } = await newAccount(randomUUID());
    const { id, text, shown } = await newKey(accountId, {});
    const at = new Date();
    const { key, stored } = await rotateKey(prisma, id, at, at);
    for (const one of [text, key]) {
      expect((await requireKeyOfHash(prisma, hashOfKey(one))).id).toBe(id);
    }
    expect(stored.secrets.map((one) => one.shownKey)).toContain(shown);
    expect(shown).toMatch(/^sk-tollgate-\S{4}…\S{4}$/);
    expect([shown.slice(0, 16), shown.slice(-4)]).toEqual([text.slice(0, 16), text.slice(-4)]);
    const unknown = requireKeyOfHash(prisma, hashOfKey("sk-tollgate-x"));
    await expect(unknown).rejects.toMatchObject({ code: "not_found" });
  });

  test("accounts are found by a part of their names or ids, and listed by name", async () => {
    const word = randomUUID();
    const zeta = await newAccount(`Zeta ${word}`);
    const acme = await newAccount(`acme ${word}`);
    const page = async (order: AccountOrder, search: string, beforeAccountId = "") => {
      const found = await listAccounts(prisma, { search, order, beforeAccountId, limit: 1 });
      return [found.accounts.map(({ id }) => id), found.hasMore];
    };
    const { UNSPECIFIED, NAME } = AccountOrder;
    expect(await page(UNSPECIFIED, word.toUpperCase())).toEqual([[acme.id], true]);
    expect(await page(UNSPECIFIED, word, acme.id)).toEqual([[zeta.id], false]);
    expect(await page(NAME, word, acme.id)).toEqual([[zeta.id], false]);
    expect(await page(UNSPECIFIED, zeta.id)).toEqual([[zeta.id], false]);
    expect(await findAccountNames(prisma, `ZETA ${word}`)).toEqual({ [zeta.id]: zeta.name });
  });

  test("the rows of a list are named by their keys and accounts, and a key without a name by its text", async () => {
    const account = await newAccount(`Names ${randomUUID()}`);
    const named = await newKey(account.id, { name: "build" });
    const plain = await newKey(account.id, {});
    const of = (keyId: string) => ({ keyId, accountId: account.id });
    const rows = [of(named.id), of(plain.id), of(named.id), { keyId: "", accountId: "acct_none" }];
    expect(await nameRows(prisma, rows)).toEqual({
      ...{ [named.id]: "build", [plain.id]: plain.shown, [account.id]: account.name },
    });
  });

  test("without a search, the first 20 accounts by name are found", async () => {
    await Promise.all(
      Array.from({ length: 21 }, (_, index) => newAccount(`0 ${index} ${randomUUID()}`)),
    );
    const names = Object.values(await findAccountNames(prisma, ""));
    expect(names).toHaveLength(20);
    expect(names.filter((name) => !name.startsWith("0"))).toEqual([]);
  });
});
