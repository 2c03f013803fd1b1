import { randomUUID } from "node:crypto";
import { endUserIdOf } from "@tollgate/core/end-user";
import { createLog } from "@tollgate/core/log";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { createClient } from "@tollgate/rpc/client";
import { bindService } from "@tollgate/rpc/implementation";
import { createLocalTransport } from "@tollgate/rpc/local-transport";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount } from "../src/accounts.ts";
import { localActor } from "../src/actor.ts";
import { findEndUser } from "../src/operator/end-users.ts";
import { implementOperator } from "../src/operator/operator.ts";
import type { OperatorParts } from "../src/operator/parts.ts";
import { type BillingDatabase, openBillingDatabase } from "./billing-database.ts";

describe("the end users of an account", () => {
  let database: BillingDatabase;

  beforeAll(async () => {
    database = await openBillingDatabase();
  });

  afterAll(() => database.stop());

  const newAccount = () =>
    createAccount(
      database.prisma,
      { name: `acme-${randomUUID()}`, admission: "" },
      async () => false,
    );

  test("are found by the text that its clients send, or by what is stored", async () => {
    const { prisma } = database;
    const [one, other] = [await newAccount(), await newAccount()];
    const named = "ada@example.com";
    const stored = await findEndUser(prisma, { accountId: one.id, named });
    expect(stored).toBe(endUserIdOf(named, one.endUserSalt));
    expect(await findEndUser(prisma, { accountId: other.id, named })).not.toBe(stored);
    expect(await findEndUser(prisma, { accountId: one.id, named: stored })).toBe(stored);
    expect(await findEndUser(prisma, { accountId: "", named })).toBe(named);
    expect(await findEndUser(prisma, { accountId: one.id, named: "" })).toBe("");
  });

  test("are stored as named once that is set, which the audit log records", async () => {
    const { prisma } = database;
    const { id } = await newAccount();
    const published: unknown[] = [];
    const parts = {
      ...{ prisma, actor: localActor, now: () => new Date() },
      notices: { publish: (...notice: unknown[]) => published.push(notice) },
    } as unknown as OperatorParts;
    const transport = createLocalTransport(createLog("silent"));
    transport.add(bindService(OperatorService, implementOperator(parts)));
    const operator = createClient(OperatorService, transport);
    const { account } = await operator.updateEndUsers({ account: id, keepsEndUsers: true });
    expect(account).toMatchObject({ id, keepsEndUsers: true });
    expect(published).toEqual([["account.changed", id]]);
    expect(await findEndUser(prisma, { accountId: id, named: "ada" })).toBe("ada");
    const [record] = await prisma.auditRecord.findMany({ where: { subjectId: id } });
    expect(record).toMatchObject({
      action: "UpdateEndUsers",
      before: { keeps_end_users: false },
      after: { keeps_end_users: true },
    });
  });
});
