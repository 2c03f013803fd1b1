import { randomBytes, randomUUID } from "node:crypto";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type {
  BeginSessionRequestSchema,
  IdentityService,
} from "@tollgate/proto/tollgate/v1/identity";
import { OperatorRole, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAccount } from "../src/accounts.ts";
import type { PrismaClient } from "../src/generated/client.ts";
import { hashOf, startIdentity } from "./identity-under-test.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

describe("the identity service", () => {
  let prisma: PrismaClient;
  let identity: Client<typeof IdentityService>;
  let operators: Client<typeof OperatorService>;
  let nowMs = Date.now();

  let stop: () => Promise<void>;

  beforeAll(async () => {
    const started = await startIdentity(() => new Date(nowMs));
    ({ prisma, identity, operators, stop } = started);
  });

  afterAll(() => stop());

  beforeEach(() => {
    nowMs = Date.now();
  });

  type Method = NonNullable<MessageInitShape<typeof BeginSessionRequestSchema>["method"]>;

  /** Signs in. Returns the hash of the session and who has it. */
  async function signIn(method: Method, address: string = randomUUID()) {
    const sessionHash = new Uint8Array(randomBytes(32));
    const begun = await identity.beginSession({ sessionHash, address, method });
    return { sessionHash, identity: begun.identity };
  }

  const byLink = (secret = "") => signIn({ case: "linkHash", value: hashOf(secret) });
  const byPassword = (name: string, password: string, address?: string) =>
    signIn({ case: "password", value: { name, password } }, address);

  async function who(sessionHash: Uint8Array) {
    const credential = { case: "sessionHash", value: sessionHash } as const;
    return (await identity.authenticate({ credential })).identity;
  }

  async function whoHasToken(text: string) {
    const credential = { case: "tokenHash", value: hashOf(text) } as const;
    return (await identity.authenticate({ credential })).identity;
  }

  /** Creates an operator who has a session. */
  async function newOperator(role = OperatorRole.OWNER) {
    const name = `op-${randomUUID()}`;
    const { operator, link } = await operators.createOperator({ name, role });
    const session = await byLink(link?.secret);
    return { ...session, name, operatorId: operator?.id ?? "" };
  }

  async function newPassword(sessionHash: Uint8Array, newPassword: string) {
    await identity.changePassword({ sessionHash, newPassword });
  }

  test("a sign-in link works once", async () => {
    const { operator, link } = await operators.createSignInLink({});
    expect(operator).toMatchObject({ name: "owner", role: OperatorRole.OWNER });
    const attempts = await Promise.all([byLink(link?.secret), byLink(link?.secret)]);
    const sessions = attempts.filter((one) => one.identity !== undefined);
    expect(sessions).toHaveLength(1);
    expect((await byLink(link?.secret)).identity).toBeUndefined();
    expect(await who(sessions[0]?.sessionHash ?? new Uint8Array())).toMatchObject({
      actor: { kind: "operator", id: operator?.id, name: "owner" },
      role: OperatorRole.OWNER,
    });
    expect((await operators.createSignInLink({})).operator?.id).toBe(operator?.id);
  });

  test("a sign-in link works for 15 minutes", async () => {
    const { link } = await operators.createSignInLink({});
    nowMs += 15 * minuteMs;
    expect((await byLink(link?.secret)).identity).toBeUndefined();
    const { link: later } = await operators.createSignInLink({});
    nowMs += 15 * minuteMs - 1;
    expect((await byLink(later?.secret)).identity).toBeDefined();
  });

  test("a session lasts 12 hours after its last use, or until it is ended", async () => {
    const { sessionHash } = await newOperator();
    nowMs += 11 * hourMs;
    expect(await who(sessionHash)).toBeDefined();
    nowMs += 11 * hourMs;
    expect(await who(sessionHash)).toBeDefined();
    nowMs += 12 * hourMs;
    expect(await who(sessionHash)).toBeUndefined();
    const other = await newOperator();
    await identity.endSession({ sessionHash: other.sessionHash });
    expect(await who(other.sessionHash)).toBeUndefined();
  });

  test("a session that a provider began lasts a day at most, and the next has the role of then", async () => {
    const issuer = "https://accounts.example.com";
    const value = { issuer, subject: randomUUID(), name: "ada@example.com" };
    const signInAs = (role: OperatorRole) =>
      signIn({ case: "provider", value: { ...value, role } });
    const first = await signInAs(OperatorRole.OWNER);
    for (const hour of [11, 22, 23]) {
      nowMs += (hour === 23 ? 1 : 11) * hourMs;
      expect([hour, (await who(first.sessionHash))?.role]).toEqual([hour, OperatorRole.OWNER]);
    }
    nowMs += hourMs;
    expect(await who(first.sessionHash)).toBeUndefined();
    const second = await signInAs(OperatorRole.VIEWER);
    expect(second.identity).toMatchObject({
      role: OperatorRole.VIEWER,
      operator: { id: first.identity?.operator?.id, issuer },
    });
    const { operator } = second.identity ?? {};
    await operators.updateOperator({ operatorId: operator?.id ?? "", isDisabled: true });
    expect((await signInAs(OperatorRole.OWNER)).identity).toBeUndefined();
  });

  test("a password signs in, ends other sessions when it is set, and is required to set another", async () => {
    const { name, sessionHash, operatorId } = await newOperator();
    const { link } = await operators.createSignInLink({ operatorId });
    const other = await byLink(link?.secret);
    await newPassword(sessionHash, "correct horse battery");
    expect(await who(sessionHash)).toMatchObject({ operator: { hasPassword: true } });
    expect(await who(other.sessionHash)).toBeUndefined();
    expect((await byPassword(name, "wrong horse battery")).identity).toBeUndefined();
    const session = await byPassword(name.toUpperCase(), "correct horse battery");
    expect(session.identity?.operator?.name).toBe(name);
    await expect(newPassword(session.sessionHash, "another long password")).rejects.toThrow(
      "present_password",
    );
    await expect(newPassword(session.sessionHash, "short")).rejects.toThrow("12 to 1,024");
  });

  test("failed sign-ins are limited by name and address together", async () => {
    const { name, sessionHash } = await newOperator();
    await newPassword(sessionHash, "correct horse battery");
    const address = randomUUID();
    const guess = () => byPassword(name, "wrong horse battery", address);
    const guesses = await Promise.allSettled(Array.from({ length: 8 }, guess));
    expect(guesses.filter(({ status }) => status === "rejected")).toHaveLength(3);
    await expect(byPassword(name, "correct horse battery", address)).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterSeconds: 15 * 60,
    });
    expect((await byPassword(name, "correct horse battery")).identity).toBeDefined();
    nowMs += 15 * minuteMs;
    expect((await byPassword(name, "correct horse battery", address)).identity).toBeDefined();
  });

  test("disabling an operator ends its sessions and the tokens that it created", async () => {
    const { name, sessionHash, operatorId, identity: owner } = await newOperator();
    const other = await newOperator();
    const { response } = await identity.operate({
      ...(owner?.actor && { actor: owner.actor }),
      method: "CreateOperatorToken",
      request: requestOf("CreateOperatorToken", { name: "ci", role: OperatorRole.VIEWER }),
    });
    const { output } = OperatorService.method.createOperatorToken;
    const { text } = fromBinary(output, response);
    expect(text).toMatch(/^tgo-[\w-]{43}$/);
    expect(await whoHasToken(text)).toMatchObject({
      actor: { kind: "token", name: "ci" },
      role: OperatorRole.VIEWER,
    });
    await operators.updateOperator({ operatorId, isDisabled: true });
    expect(await who(sessionHash)).toBeUndefined();
    expect(await whoHasToken(text)).toBeUndefined();
    expect(await who(other.sessionHash)).toBeDefined();
    const { records } = await operators.listAudit({ limit: 2 });
    expect(records).toMatchObject([
      {
        action: "UpdateOperator",
        actorKind: "local",
        subjectKind: "operator",
        subjectId: operatorId,
        before: "{}",
        after: expect.stringMatching(/^\{"disabled_at":"[^"]+"\}$/),
      },
      { action: "CreateOperatorToken", actorKind: "operator", actorName: name, before: "{}" },
    ]);
    expect(records[1]?.after).not.toContain(text);
  });

  test("the last owner cannot be disabled", async () => {
    await operators.createSignInLink({});
    const { operators: all } = await operators.listOperators({});
    const owners = all.filter(({ role, disabledAt }) => role === OperatorRole.OWNER && !disabledAt);
    const disabled = await Promise.allSettled(
      owners.map(({ id }) => operators.updateOperator({ operatorId: id, isDisabled: true })),
    );
    const refused = disabled.filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject([{ reason: { code: "invalid_param" } }]);
  });

  test("a token ends when it expires and when it is revoked", async () => {
    const expiresAt = { seconds: BigInt(Math.ceil(nowMs / 1_000) + 60), nanos: 0 };
    const named = { name: "ci", role: OperatorRole.OPERATOR };
    const expiring = await operators.createOperatorToken({ ...named, expiresAt });
    const revoked = await operators.createOperatorToken(named);
    expect(await whoHasToken(expiring.text)).toBeDefined();
    expect(await whoHasToken(revoked.text)).toBeDefined();
    await operators.revokeOperatorToken({ tokenId: revoked.token?.id ?? "" });
    expect(await whoHasToken(revoked.text)).toBeUndefined();
    nowMs += 2 * minuteMs;
    expect(await whoHasToken(expiring.text)).toBeUndefined();
  });

  test("a customer has one account, and nobody else has one", async () => {
    const name = `customer of ${randomUUID()}`;
    const { id } = await createAccount(prisma, { name, admission: "" }, async () => false);
    const role = OperatorRole.CUSTOMER;
    const { operator } = await operators.createOperator({ name, role, account: name });
    expect(operator).toMatchObject({ role, accountId: id });
    const wrong = [
      { name: "x", role },
      { name: "x", role: OperatorRole.VIEWER, account: id },
      { name: "x" },
      { name: "" },
      { name, role, account: id },
    ];
    for (const request of wrong) {
      await expect(operators.createOperator(request)).rejects.toMatchObject({
        code: "invalid_param",
      });
    }
  });
});

function requestOf(name: string, fields: object): Uint8Array {
  const method = OperatorService.methods.find((one) => one.name === name);
  if (method === undefined) throw new Error(`no rpc ${name}`);
  return toBinary(method.input, create(method.input, fields as Record<string, unknown>));
}
