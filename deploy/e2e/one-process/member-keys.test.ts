import { hash, randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { describe, expect, test } from "vitest";
import { codeOf } from "../src/console-client.ts";
import { eventually } from "../src/eventually.ts";
import { joinAs } from "../src/members.ts";
import { chatBody, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { ADMIN, DEVELOPER } = MemberRole;
const { stack } = await sharedStack();

describe("the keys of members", () => {
  const call = (key: string) => send(`${stack.url}/v1/chat/completions`, { key, body: chatBody() });

  test("keep within the bounds of the account, which the operator sets", async () => {
    const { accountId: account, keyId } = await stack.newAccount(1);
    const keyBounds = { maxKeys: 3, limits: { requestsPerMinute: 60 }, models: ["test-small"] };
    await stack.operator.updateAccount({ account, keyBounds });
    const admin = await joinAs(stack, account, ADMIN);
    const created = await admin.operator.createKey({ limits: { parallel: 2 } });
    expect(created.details).toMatchObject({
      models: ["test-small"],
      limits: { limits: { requestsPerMinute: 60, parallel: 2 } },
    });
    for (const wrong of [
      { limits: { requestsPerMinute: 61 } },
      { models: ["*"] },
      { models: ["test-embed"] },
      { channel: "settlement" },
    ]) {
      expect(await codeOf(admin.operator.createKey(wrong))).toBe(Code.InvalidArgument);
    }
    const raised = { keyId, limits: { set: { requestsPerMinute: 61 } } };
    expect(await codeOf(admin.operator.updateKey(raised))).toBe(Code.InvalidArgument);
    const codes = await Promise.all(
      Array.from({ length: 3 }, () => codeOf(admin.operator.createKey({}))),
    );
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    await stack.operator.createKey({ account, models: ["*"] });
  });

  test("that have expired work again only where the account has room for them", async () => {
    const { accountId: account, keyId: ownKeyId } = await stack.newAccount(1);
    await stack.operator.revokeKey({ keyId: ownKeyId });
    await stack.operator.updateAccount({ account, keyBounds: { maxKeys: 1, models: [] } });
    const { operator } = await joinAs(stack, account, DEVELOPER);
    const expiresAt = timestampFromDate(new Date(Date.now() + 3_000));
    const { keyId } = await operator.createKey({ expiresAt });
    const later = timestampFromDate(new Date(Date.now() + 3_600_000));
    const second = await eventually(() => operator.createKey({}));
    for (const change of [{ clearsExpiry: true }, { expiresAt: later }]) {
      expect(await codeOf(operator.updateKey({ keyId, ...change }))).toBe(Code.InvalidArgument);
    }
    await operator.updateKey({ keyId: second.keyId, expiresAt: later });
    await operator.updateKey({ keyId, name: "still expired" });
    await operator.revokeKey({ keyId: second.keyId });
    const { key } = await operator.updateKey({ keyId, clearsExpiry: true });
    expect([key?.name, key?.expiresAt]).toEqual(["still expired", undefined]);
  });

  test("of a developer keep below the limits that an admin has set", async () => {
    const { accountId } = await stack.newAccount(1);
    const admin = await joinAs(stack, accountId, ADMIN);
    const developer = await joinAs(stack, accountId, DEVELOPER);
    const { keyId } = await developer.operator.createKey({ limits: { requestsPerMinute: 100 } });
    const set = (client: typeof admin, requestsPerMinute: number) =>
      client.operator.updateKey({ keyId, limits: { set: { requestsPerMinute } } });
    await set(developer, 200);
    await set(admin, 50);
    await set(developer, 20);
    await set(developer, 50);
    expect(await codeOf(set(developer, 51))).toBe(Code.InvalidArgument);
    const removed = await developer.operator.updateKey({ keyId, limits: { remove: [2] } });
    expect(removed.key?.limits?.limits?.requestsPerMinute).toBe(50);
    await set(admin, 500);
    await set(developer, 400);
  });

  test("are found by the hashes of their texts, and no key of another member or account", async () => {
    const { accountId: account } = await stack.newAccount(1);
    const other = await stack.newAccount(1);
    const developer = await joinAs(stack, account, DEVELOPER);
    const admin = await joinAs(stack, account, ADMIN);
    const [own, admins] = [
      await developer.operator.createKey({}),
      await admin.operator.createKey({}),
    ];
    const find = (client: typeof admin, text: string) =>
      client.operator.getKey({ keyHash: hash("sha256", text, "buffer") });
    expect((await find(developer, own.key)).key?.id).toBe(own.keyId);
    expect((await find(admin, own.key)).key?.memberName).not.toBe("");
    for (const text of [admins.key, other.key, "sk-tollgate-unknown"]) {
      const error = await find(developer, text).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: Code.NotFound, rawMessage: "No key has this text." });
    }
  });

  test("are refused while the account is frozen, and work again afterwards", async () => {
    const { accountId: account, key } = await stack.newAccount(1);
    expect((await call(key)).status).toBe(200);
    await stack.operator.updateAccount({ account, isFrozen: true });
    const refused = await eventually(async () => {
      const response = await call(key);
      if (response.status === 200) throw new Error("the key still works");
      return response;
    });
    expect(refused).toMatchObject({
      status: 402,
      body: {
        error: { code: "credit_balance_exhausted", message: expect.stringContaining("frozen") },
      },
    });
    await stack.operator.updateAccount({ account, isFrozen: false });
    await eventually(async () => expect((await call(key)).status).toBe(200));
  });

  test("end all at once, and with the account", async () => {
    const { accountId: account, key } = await stack.newAccount(1);
    const other = await stack.newAccount(1);
    const admin = await joinAs(stack, account, ADMIN);
    const second = await admin.operator.createKey({});
    expect((await admin.operator.revokeAccountKeys({})).revoked).toBe(2);
    for (const text of [key, second.key]) {
      await eventually(async () => expect((await call(text)).status).toBe(403));
    }
    expect((await call(other.key)).status).toBe(200);
    const third = await admin.operator.createKey({});
    await stack.operator.closeAccount({ account });
    await eventually(async () => expect((await call(third.key)).status).toBe(403));
    expect(await codeOf(admin.operator.getAccount({}))).toBe(Code.Unauthenticated);
    expect(await codeOf(stack.operator.createKey({ account }))).not.toBe(undefined);
    const invited = { account, email: `${randomUUID()}@example.com`, role: ADMIN };
    expect(await codeOf(stack.operator.inviteMember(invited))).not.toBe(undefined);
  });
});
