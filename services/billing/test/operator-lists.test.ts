import { randomUUID } from "node:crypto";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AmountOrder, TimeOrder } from "@tollgate/proto/tollgate/v1/list";
import { OperatorRole, type OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { PaymentState } from "@tollgate/proto/tollgate/v1/payment";
import type { Client } from "@tollgate/rpc/implementation";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount } from "../src/accounts.ts";
import { recordChange } from "../src/audit.ts";
import { pageRevisions } from "../src/catalog/revisions.ts";
import type { PrismaClient } from "../src/generated/client.ts";
import { createKey, newKeyId } from "../src/keys.ts";
import { startIdentity } from "./identity-under-test.ts";

const actor = { kind: "local", id: "", name: "" } as const;
const { OLDEST, UNSPECIFIED: NEWEST } = TimeOrder;

describe("the lists of operators", () => {
  let prisma: PrismaClient;
  let operators: Client<typeof OperatorService>;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    ({ prisma, operators, stop } = await startIdentity(() => new Date()));
  });

  afterAll(() => stop());

  async function newAccount(name = randomUUID()) {
    return createAccount(prisma, { name, admission: "" }, async () => false);
  }

  async function newKey(accountId: string, name: string) {
    const policy = { name, owner: "", tags: [], models: [], expiresAt: null };
    const { stored } = await createKey(prisma, {
      ...{ keyId: newKeyId(), accountId, memberId: null, channel: "", isLimited: false },
      ...{ requestsPerMinute: null, policy },
    });
    return stored.id;
  }

  test("the audit log is searched and paged in both orders, with the names of its subjects", async () => {
    const account = await newAccount();
    const keyId = await newKey(account.id, "nightly build");
    const { operator } = await operators.createOperator({
      name: `ada-${randomUUID()}`,
      role: OperatorRole.VIEWER,
    });
    const accountId = account.id;
    const subjects = [
      ["CreateKey", "key", keyId],
      ["TopUpWallet", "wallet", accountId],
      ["RevokeKey", "key", keyId],
      ["UpdateOperator", "operator", operator?.id ?? ""],
    ] as const;
    for (const [action, subjectKind, subjectId] of subjects) {
      await recordChange(prisma, actor, { action, subjectKind, subjectId, accountId });
    }
    const list = async (more: object) => {
      const found = await operators.listAudit({ account: account.name, limit: 2, ...more });
      return { ...found, actions: found.records.map(({ action }) => action) };
    };
    const first = await list({});
    expect(first.actions).toEqual(["UpdateOperator", "RevokeKey"]);
    const next = await list({ beforeId: first.nextId });
    expect([next.actions, next.nextId]).toEqual([["TopUpWallet", "CreateKey"], ""]);
    expect({ ...first.names, ...next.names }).toMatchObject({
      [keyId]: "nightly build",
      [accountId]: account.name,
      [operator?.id ?? ""]: operator?.name,
    });
    const oldest = await list({ order: OLDEST, search: "KEY" });
    expect([oldest.actions, oldest.hasMore]).toEqual([["CreateKey", "RevokeKey"], false]);
    expect((await list({ search: keyId, order: OLDEST })).actions).toEqual(oldest.actions);
    const name = operator?.name ?? "";
    for (const kind of ["operator", "member"] as const) {
      const subject = { subjectKind: "account", subjectId: accountId, accountId } as const;
      const change = { action: `UpdateAccount by ${kind}`, ...subject };
      await recordChange(prisma, { kind, id: operator?.id ?? "", name }, change);
    }
    const byName = await list({ search: name.toUpperCase() });
    expect(byName.records).toMatchObject([
      { action: "UpdateAccount by member", actorName: name },
      { action: "UpdateAccount by operator", actorName: name },
    ]);
    expect((await operators.listAudit({ search: randomUUID() })).records).toEqual([]);
    await expect(list({ search: "x".repeat(201) })).rejects.toMatchObject({ param: "search" });
  });

  test("payments are found by their state, account, ids and problem", async () => {
    const [one, other] = [await newAccount(`shop ${randomUUID()}`), await newAccount()];
    const row = (accountId: string, more: object) => ({
      ...{ id: `payment_${randomUUID()}`, accountId, kind: "checkout", amountNanoUsd: 5n },
      ...more,
    });
    const declined = row(one.id, { state: "failed", problem: "Your card was declined." });
    const paid = row(other.id, { state: "credited", intentId: `pi_${randomUUID()}` });
    await prisma.payment.createMany({ data: [declined, paid] });
    const ids = async (more: object) =>
      (await operators.listPayments(more)).payments.map(({ id }) => id);
    expect(await ids({ account: one.id })).toEqual([declined.id]);
    expect(await ids({ search: one.name.toUpperCase() })).toEqual([declined.id]);
    expect(await ids({ search: "card was declined", account: one.id })).toEqual([declined.id]);
    expect(await ids({ account: one.id, state: PaymentState.CREDITED })).toEqual([]);
    expect(await ids({ search: "PI_", state: PaymentState.CREDITED })).toEqual([paid.id]);
    const both = [declined.id, paid.id].toSorted();
    expect(await ids({ order: AmountOrder.OLDEST })).toEqual(both);
    expect(await ids({ order: AmountOrder.UNSPECIFIED })).toEqual(both.toReversed());
    const { names } = await operators.listPayments({ account: one.id });
    expect(names).toEqual({ [one.id]: one.name });
  });

  test("payments are ordered by their amounts, page by page", async () => {
    const account = await newAccount();
    const amounts = [5n, 900n, 70n, 900n];
    await prisma.payment.createMany({
      data: amounts.map((amountNanoUsd, n) => ({
        ...{ id: `payment_${n}_${account.id}`, accountId: account.id, kind: "checkout" },
        ...{ amountNanoUsd, state: n === 2 ? "failed" : "credited" },
      })),
    });
    const page = { account: account.id, order: AmountOrder.LARGEST, limit: 3 };
    const list = async (more: object) => {
      const { payments, nextPaymentId } = await operators.listPayments({ ...page, ...more });
      return [payments.map((one) => Number(one.id.split("_")[1])), nextPaymentId] as const;
    };
    // Of those of the same amount, the newest is first.
    const [first, next] = await list({});
    expect(first).toEqual([3, 1, 2]);
    expect(await list({ beforePaymentId: next })).toEqual([[0], ""]);
    expect(await list({ state: PaymentState.CREDITED })).toEqual([[3, 1, 0], ""]);
  });

  test("warnings are found by their key and their text, with the names of keys", async () => {
    const { id: accountId } = await newAccount();
    const [ci, batch] = [await newKey(accountId, "ci"), await newKey(accountId, "batch")];
    const row = (n: number, keyId: string, title: string) => ({
      ...{ id: `warning_${n}_${accountId}`, accountId, kind: "budget", subject: keyId, keyId },
      ...{ title, text: "", begunAt: new Date() },
    });
    const rows = [row(1, ci, "80 % of ci"), row(2, batch, "80 % of batch"), row(3, "", "Balance")];
    await prisma.warning.createMany({ data: rows });
    const titles = async (more: object) =>
      (await operators.listWarnings({ account: accountId, ...more })).warnings.map(
        ({ title }) => title,
      );
    expect(await titles({ order: OLDEST })).toEqual(rows.map(({ title }) => title));
    expect(await titles({ keyId: ci })).toEqual(["80 % of ci"]);
    expect(await titles({ search: "80 % OF" })).toEqual(["80 % of batch", "80 % of ci"]);
    const { names } = await operators.listWarnings({ account: accountId });
    expect(names).toEqual({ [ci]: "ci", [batch]: "batch" });
  });

  test("codes and statements are found by their names, and paged in both orders", async () => {
    const name = `fair ${randomUUID()}`;
    for (const place of ["Lyon", "Kyiv"]) {
      const expiresAt = timestampFromMs(Date.now() + 86_400_000);
      const codes = { count: 1, creditNanoUsd: 1_000_000_000n, expiresAt };
      await operators.createCodes({ ...codes, name: `${name} ${place}` });
    }
    const batches = await operators.listCodeBatches({ search: name, limit: 1, order: OLDEST });
    expect(batches.batches).toMatchObject([{ name: `${name} Lyon`, codes: 1 }]);
    const page = { search: name, order: OLDEST, beforeBatchId: batches.nextBatchId };
    expect((await operators.listCodeBatches(page)).batches).toMatchObject([
      { name: `${name} Kyiv` },
    ]);

    const account = await newAccount(`print shop ${randomUUID()}`);
    const document = { number: "1", accountId: account.id, month: "2026-10" };
    const statement = { accountId: account.id, issuedAt: new Date() };
    await prisma.statement.createMany({
      data: [9, 10].map((month) => ({
        ...{ ...statement, number: BigInt(month), month: new Date(Date.UTC(2026, month - 1)) },
        document: { ...document, number: String(month) },
      })),
    });
    const numbers = async (more: object) =>
      (await operators.listStatements(more)).statements.map(({ number }) => number);
    expect(await numbers({ search: account.name })).toEqual([10n, 9n]);
    expect(await numbers({ search: "2026-09" })).toEqual([9n]);
    expect(await numbers({ order: OLDEST, limit: 1 })).toEqual([9n]);
    expect(await numbers({ order: OLDEST, beforeNumber: 9n })).toEqual([10n]);
  });

  test("revisions are found by their number, reason and author", async () => {
    const row = { text: "", models: 0, providers: 0, authorKind: "operator", authorId: "op_1" };
    const reasons = ["The first", "Cheaper embeddings", "Back to the first"];
    await prisma.catalogRevision.createMany({
      data: reasons.map((reason, n) => ({
        ...{ ...row, revision: BigInt(n + 1), authorName: n === 1 ? "ada" : "bob", reason },
      })),
    });
    const find = async (more: object) => {
      const page = { search: "", order: NEWEST, limit: 10, before: 0n };
      const { revisions, next } = await pageRevisions(prisma, { ...page, ...more });
      return [revisions.map(({ revision }) => revision), next];
    };
    expect(await find({ search: "FIRST" })).toEqual([[3n, 1n], undefined]);
    expect(await find({ search: "ada" })).toEqual([[2n], undefined]);
    expect(await find({ limit: 2 })).toEqual([[3n, 2n], 2n]);
    expect(await find({ limit: 2, before: 2n })).toEqual([[1n], undefined]);
    expect(await find({ order: OLDEST, before: 1n })).toEqual([[2n, 3n], undefined]);
  });
});
