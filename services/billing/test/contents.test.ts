import { randomBytes, randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { createLog } from "@tollgate/core/log";
import { readSecretsKey, type SecretsKey } from "@tollgate/core/secrets-key";
import { RequestContentSchema } from "@tollgate/proto/tollgate/v1/content";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { createClient } from "@tollgate/rpc/client";
import { bindService } from "@tollgate/rpc/implementation";
import { createLocalTransport } from "@tollgate/rpc/local-transport";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount } from "../src/accounts.ts";
import { localActor } from "../src/actor.ts";
import { contentVariable } from "../src/contents/content-key.ts";
import { deleteContents } from "../src/contents/delete-contents.ts";
import { recordContents } from "../src/contents/record-contents.ts";
import type { PrismaClient } from "../src/generated/client.ts";
import { implementOperator } from "../src/operator/operator.ts";
import type { OperatorParts } from "../src/operator/parts.ts";
import { type BillingDatabase, openBillingDatabase } from "./billing-database.ts";

const log = createLog("silent");
const newKeyText = () => randomBytes(32).toString("base64");
const dayMs = 86_400_000;

describe("stored prompts and responses", () => {
  let database: BillingDatabase;
  let pool: pg.Pool;
  let prisma: PrismaClient;

  beforeAll(async () => {
    database = await openBillingDatabase();
    ({ pool, prisma } = database);
  });

  afterAll(() => database.stop());

  const keyOf = (text: string) => readSecretsKey(text, contentVariable);

  /** Returns the calls of a gateway with a key. Its clock is `at`. */
  function operatorWith(contentKey: SecretsKey | undefined, at = new Date()) {
    const parts = {
      prisma,
      contentKey,
      secretsKey: undefined,
      contentDeletion: { wake() {} },
      notices: { publish() {} },
      actor: { ...localActor, kind: "member", id: "op_1", name: "ada" },
      now: () => at,
    } as unknown as OperatorParts;
    const transport = createLocalTransport(log);
    transport.add(bindService(OperatorService, implementOperator(parts)));
    return createClient(OperatorService, transport);
  }

  async function newAccount(): Promise<string> {
    const fields = { name: `acme-${randomUUID()}`, admission: "" };
    return (await createAccount(prisma, fields, async () => false)).id;
  }

  /** Records the content of a request, whose bytes are the text and its compressed form. */
  async function record(key: SecretsKey | undefined, accountId: string, prompt: string) {
    const requestId = `req_${randomUUID().replaceAll("-", "")}`;
    const content = create(RequestContentSchema, {
      ...{ requestId, accountId, request: gzipSync(prompt), response: Buffer.alloc(0) },
      isRequestCut: true,
    });
    await recordContents(pool, key, [content]);
    return requestId;
  }

  const rowsOf = (accountId: string) => prisma.requestContent.findMany({ where: { accountId } });
  const prune = (maxBytes = 1_000_000) => deleteContents({ prisma, log, maxBytes });

  test("are read by who may, and each view is in the audit log", async () => {
    const key = keyOf(newKeyText());
    const operator = operatorWith(key);
    const account = await newAccount();
    await operator.updateContentDays({ account, days: 30 });
    const prompt = `prompt-${randomUUID()}`;
    const requestId = await record(key, account, prompt);
    const { content } = await operator.viewRequestContent({ requestId, account });
    expect(content).toMatchObject({ request: prompt, response: "", isRequestCut: true });
    await operator.viewRequestContent({ requestId });
    const views = await prisma.auditRecord.findMany({ where: { subjectId: requestId } });
    expect(views.map(({ action, actorId, accountId }) => [action, actorId, accountId])).toEqual([
      ["ViewRequestContent", "op_1", account],
      ["ViewRequestContent", "op_1", account],
    ]);
    const other = await newAccount();
    await expect(operator.viewRequestContent({ requestId, account: other })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("are in the database encrypted: no text, and nothing of the compressed one", async () => {
    const key = keyOf(newKeyText());
    const account = await newAccount();
    await operatorWith(key).updateContentDays({ account, days: 1 });
    const requestId = await record(key, account, "a prompt that repeats itself, itself, itself");
    const row = await prisma.requestContent.findUniqueOrThrow({ where: { requestId } });
    const plain = gzipSync("a prompt that repeats itself, itself, itself").subarray(10, 30);
    expect(Buffer.from(row.ciphertext).includes(plain)).toBe(false);
    expect(Buffer.from(row.ciphertext).includes(account)).toBe(false);
    const stranger = operatorWith(keyOf(newKeyText()));
    await expect(stranger.viewRequestContent({ requestId })).rejects.toThrow(
      /TOLLGATE_CONTENT_KEY has no key/,
    );
    // Moved to another account, a content cannot be opened.
    const other = await newAccount();
    await operatorWith(key).updateContentDays({ account: other, days: 1 });
    await prisma.requestContent.update({ where: { requestId }, data: { accountId: other } });
    const asOther = operatorWith(key).viewRequestContent({ requestId, account: other });
    await expect(asOther).rejects.toThrow(/changed after it was stored/);
  });

  test("are refused by name without the key, and nothing is stored of other accounts", async () => {
    const account = await newAccount();
    const keyless = operatorWith(undefined);
    await expect(keyless.updateContentDays({ account, days: 30 })).rejects.toThrow(
      /TOLLGATE_CONTENT_KEY is not set/,
    );
    await record(keyOf(newKeyText()), account, "prompt");
    expect(await rowsOf(account)).toEqual([]);
    await operatorWith(keyOf(newKeyText())).updateContentDays({ account, days: 30 });
    await record(undefined, account, "prompt");
    expect(await rowsOf(account)).toEqual([]);
  });

  test("are deleted after the days of their account, and cannot be read from then on", async () => {
    const key = keyOf(newKeyText());
    const account = await newAccount();
    await operatorWith(key).updateContentDays({ account, days: 2 });
    const old = await record(key, account, "old");
    const recent = await record(key, account, "recent");
    const storedAt = new Date(Date.now() - 2 * dayMs - 1_000);
    await prisma.requestContent.update({ where: { requestId: old }, data: { storedAt } });
    await expect(operatorWith(key).viewRequestContent({ requestId: old })).rejects.toMatchObject({
      code: "not_found",
    });
    await prune();
    expect((await rowsOf(account)).map(({ requestId }) => requestId)).toEqual([recent]);
  });

  test.each(["turns storing off", "is closed"])("are deleted when the account %s", async (how) => {
    const key = keyOf(newKeyText());
    const operator = operatorWith(key);
    const account = await newAccount();
    await operator.updateContentDays({ account, days: 30 });
    const requestId = await record(key, account, "prompt");
    if (how === "is closed") await operator.closeAccount({ account });
    else await operator.updateContentDays({ account, days: 0 });
    await expect(operator.viewRequestContent({ requestId })).rejects.toMatchObject({
      code: "not_found",
    });
    await prune();
    expect(await rowsOf(account)).toEqual([]);
    await record(key, account, "later");
    expect(await rowsOf(account)).toEqual([]);
  });

  test("of one account take no more than the bound: the oldest are deleted", async () => {
    const key = keyOf(newKeyText());
    const account = await newAccount();
    await operatorWith(key).updateContentDays({ account, days: 30 });
    const stored: string[] = [];
    for (const [at, prompt] of ["one", "two", "three"].entries()) {
      const requestId = await record(key, account, prompt);
      const storedAt = new Date(Date.now() - (3 - at) * 1_000);
      await prisma.requestContent.update({ where: { requestId }, data: { storedAt } });
      stored.push(requestId);
    }
    const [first] = await rowsOf(account);
    await prune((first?.bytes ?? 0) * 2 + 20);
    const left = (await rowsOf(account)).map(({ requestId }) => requestId);
    expect(left.toSorted()).toEqual(stored.slice(1).toSorted());
  });

  test("open by a new key once it wraps them", async () => {
    const [old, next] = [newKeyText(), newKeyText()];
    const account = await newAccount();
    await operatorWith(keyOf(old)).updateContentDays({ account, days: 30 });
    const requestId = await record(keyOf(old), account, "prompt");
    await prisma.requestContent.deleteMany({ where: { accountId: { not: account } } });
    const both = operatorWith(keyOf(`${next},${old}`));
    expect(await both.rekeySecrets({})).toMatchObject({ rewrapped: 0, rewrappedContents: 1 });
    expect(await both.rekeySecrets({})).toMatchObject({ rewrappedContents: 0 });
    const { content } = await operatorWith(keyOf(next)).viewRequestContent({ requestId });
    expect(content?.request).toBe("prompt");
  });
});
