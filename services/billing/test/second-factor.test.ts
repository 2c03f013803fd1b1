import { randomBytes, randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  BeginSessionRequestSchema,
  IdentityService,
} from "@tollgate/proto/tollgate/v1/identity";
import { OperatorRole, type OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { Client } from "@tollgate/rpc/implementation";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PrismaClient } from "../src/generated/client.ts";
import { createSealer } from "../src/sealing.ts";
import { hashOf, startIdentity } from "./identity-under-test.ts";

const minuteMs = 60_000;
const stepMs = 30_000;
const password = "correct horse battery";

describe("second factors", () => {
  let prisma: PrismaClient;
  let identity: Client<typeof IdentityService>;
  let operators: Client<typeof OperatorService>;
  let stop: () => Promise<void>;
  let nowMs = 0;

  beforeAll(async () => {
    const sealer = createSealer(randomUUID());
    const factorPolicy = "operators";
    const started = await startIdentity(() => new Date(nowMs), { sealer, factorPolicy });
    ({ prisma, identity, operators, stop } = started);
  });

  afterAll(() => stop());

  beforeEach(() => {
    nowMs = Math.floor(Date.now() / stepMs) * stepMs;
  });

  type Method = NonNullable<MessageInitShape<typeof BeginSessionRequestSchema>["method"]>;

  async function signIn(method: Method) {
    const sessionHash = new Uint8Array(randomBytes(32));
    const request = { sessionHash, address: randomUUID(), method };
    const { identity: signedIn, needsCode } = await identity.beginSession(request);
    return { sessionHash, needsCode, signedIn };
  }

  const byPassword = (name: string) => signIn({ case: "password", value: { name, password } });

  async function isSignedIn(sessionHash: Uint8Array): Promise<boolean> {
    const credential = { case: "sessionHash", value: sessionHash } as const;
    return (await identity.authenticate({ credential })).identity !== undefined;
  }

  /** Enters a code in a session that awaits one. Resolves with whether it was accepted. */
  async function enter(sessionHash: Uint8Array, code: string, address: string = randomUUID()) {
    const completed = await identity.completeSession({ sessionHash, address, code });
    return completed.identity !== undefined;
  }

  /** Returns the code that an app shows now, or some steps later. */
  function codeOf(secret: string, steps = 0): string {
    const timestamp = nowMs + steps * stepMs;
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
  }

  /** Creates an owner with a password. */
  async function newOperator() {
    const name = `op-${randomUUID()}`;
    const { operator, link } = await operators.createOperator({ name, role: OperatorRole.OWNER });
    const { sessionHash } = await signIn({ case: "linkHash", value: hashOf(link?.secret ?? "") });
    await identity.changePassword({ sessionHash, newPassword: password });
    return { name, operatorId: operator?.id ?? "", sessionHash };
  }

  /** The same with a second factor, whose last code was the present one. */
  async function newOperatorWithFactor() {
    const operator = await newOperator();
    const { sessionHash } = operator;
    const { secret } = await identity.createSecondFactor({ sessionHash, issuer: "Tollgate" });
    const enabled = await identity.enableSecondFactor({ sessionHash, code: codeOf(secret) });
    nowMs += stepMs;
    return { ...operator, secret, recoveryCodes: enabled.recoveryCodes };
  }

  test("a password and a link sign in only with a code", async () => {
    const { name, operatorId, secret } = await newOperatorWithFactor();
    const begun = await byPassword(name);
    expect(begun).toMatchObject({ needsCode: true, signedIn: undefined });
    expect(await isSignedIn(begun.sessionHash)).toBe(false);
    const newPassword = { sessionHash: begun.sessionHash, newPassword: "another long password" };
    await expect(identity.changePassword(newPassword)).rejects.toThrow("has ended");
    expect(await enter(begun.sessionHash, codeOf(secret))).toBe(true);
    expect(await isSignedIn(begun.sessionHash)).toBe(true);
    nowMs += stepMs;
    const { link } = await operators.createSignInLink({ operatorId });
    const byLink = await signIn({ case: "linkHash", value: hashOf(link?.secret ?? "") });
    expect(byLink).toMatchObject({ needsCode: true, signedIn: undefined });
    expect(await enter(byLink.sessionHash, codeOf(secret))).toBe(true);
  });

  test("a code is accepted once, also by two sign-ins at the same time", async () => {
    const { name, secret } = await newOperatorWithFactor();
    const code = codeOf(secret);
    const sessions = await Promise.all([byPassword(name), byPassword(name)]);
    const entered = await Promise.all(sessions.map((one) => enter(one.sessionHash, code)));
    expect(entered.toSorted()).toEqual([false, true]);
    const { sessionHash } = await byPassword(name);
    nowMs += stepMs;
    expect(await enter(sessionHash, code)).toBe(false);
    expect(await enter(sessionHash, codeOf(secret))).toBe(true);
  });

  test("a code that was accepted ends those of earlier steps", async () => {
    const { name, secret } = await newOperatorWithFactor();
    const [first, second] = [await byPassword(name), await byPassword(name)];
    expect(await enter(first.sessionHash, codeOf(secret, 1))).toBe(true);
    expect(await enter(second.sessionHash, codeOf(secret))).toBe(false);
  });

  test("the code that set up the second factor does not sign in", async () => {
    const { name, secret } = await newOperatorWithFactor();
    const { sessionHash } = await byPassword(name);
    expect(await enter(sessionHash, codeOf(secret, -1))).toBe(false);
  });

  test("a recovery code signs in once, however it is typed", async () => {
    const { name, recoveryCodes } = await newOperatorWithFactor();
    expect(new Set(recoveryCodes).size).toBe(10);
    const [code = ""] = recoveryCodes;
    const sessions = await Promise.all([byPassword(name), byPassword(name)]);
    const typed = code.toLowerCase().replaceAll("-", " ");
    const entered = await Promise.all(sessions.map((one) => enter(one.sessionHash, typed)));
    expect(entered.toSorted()).toEqual([false, true]);
    const { sessionHash } = await byPassword(name);
    expect(await enter(sessionHash, recoveryCodes[1] ?? "")).toBe(true);
  });

  test("the recovery codes of another operator do not sign in", async () => {
    const [one, other] = [await newOperatorWithFactor(), await newOperatorWithFactor()];
    const { sessionHash } = await byPassword(one.name);
    expect(await enter(sessionHash, other.recoveryCodes[0] ?? "")).toBe(false);
    expect(await enter(sessionHash, codeOf(other.secret))).toBe(false);
  });

  test("a sign-in waits for a code for 10 minutes", async () => {
    const { name, secret } = await newOperatorWithFactor();
    const { sessionHash } = await byPassword(name);
    nowMs += 10 * minuteMs;
    expect(await enter(sessionHash, codeOf(secret))).toBe(false);
  });

  test("wrong codes are limited by person and address, and by person from all addresses", async () => {
    const { name, secret } = await newOperatorWithFactor();
    const { sessionHash } = await byPassword(name);
    const address = randomUUID();
    for (let guess = 0; guess < 5; guess += 1) {
      expect(await enter(sessionHash, "000000", address)).toBe(false);
    }
    await expect(enter(sessionHash, codeOf(secret), address)).rejects.toMatchObject({
      code: "rate_limited",
    });
    // The refused one counts, too.
    for (let guess = 0; guess < 14; guess += 1) {
      expect(await enter(sessionHash, "000000")).toBe(false);
    }
    await expect(enter(sessionHash, codeOf(secret))).rejects.toMatchObject({
      code: "rate_limited",
    });
  });

  test("it is set up with the present password, and required once a code of it was entered", async () => {
    const { name, sessionHash: first } = await newOperator();
    const { sessionHash } = await byPassword(name);
    const wrong = identity.createSecondFactor({ sessionHash, presentPassword: "wrong horse" });
    await expect(wrong).rejects.toThrow("present_password");
    const request = { sessionHash, presentPassword: password, issuer: "console.example.com" };
    const replaced = await identity.createSecondFactor(request);
    const { secret, uri } = await identity.createSecondFactor(request);
    expect(uri).toContain(`otpauth://totp/console.example.com:${name}?`);
    expect(uri).toContain(`secret=${secret}`);
    expect(await byPassword(name)).toMatchObject({ needsCode: false });
    for (const code of [codeOf(replaced.secret), "", "000000"]) {
      await expect(identity.enableSecondFactor({ sessionHash, code })).rejects.toThrow("code");
    }
    expect(await isSignedIn(first)).toBe(true);
    await identity.enableSecondFactor({ sessionHash, code: codeOf(secret) });
    expect(await isSignedIn(sessionHash)).toBe(true);
    expect(await isSignedIn(first)).toBe(false);
    expect(await byPassword(name)).toMatchObject({ needsCode: true });
    await expect(identity.createSecondFactor(request)).rejects.toThrow("turn it off first");
  });

  test("a code turns it off, and a wrong one does not", async () => {
    const { name, sessionHash, secret, recoveryCodes } = await newOperatorWithFactor();
    const wrong = identity.disableSecondFactor({ sessionHash, code: "000000" });
    await expect(wrong).rejects.toThrow("code");
    expect(await byPassword(name)).toMatchObject({ needsCode: true });
    await identity.disableSecondFactor({ sessionHash, code: codeOf(secret) });
    expect(await byPassword(name)).toMatchObject({ needsCode: false });
    const where = { codeHash: hashOf((recoveryCodes[0] ?? "").replaceAll("-", "")) };
    expect(await prisma.recoveryCode.count({ where })).toBe(0);
  });

  test("an operator removes one that was lost, which is in the audit log", async () => {
    const { name, operatorId } = await newOperatorWithFactor();
    const listed = async () =>
      (await operators.listOperators({})).operators.find(({ id }) => id === operatorId);
    expect(await listed()).toMatchObject({ hasSecondFactor: true });
    await operators.removeSecondFactor({ operatorId });
    expect(await listed()).toMatchObject({ hasSecondFactor: false });
    expect(await byPassword(name)).toMatchObject({ needsCode: false });
    const { records } = await operators.listAudit({ limit: 2 });
    const subject = { subjectKind: "operator", subjectId: operatorId };
    expect(records).toMatchObject([
      { action: "RemoveSecondFactor", actorKind: "local", ...subject },
      { action: "ConfirmSecondFactor", actorKind: "operator", actorId: operatorId, ...subject },
    ]);
    await expect(operators.removeSecondFactor({ operatorId })).rejects.toThrow("no second factor");
  });

  test("neither the secret nor a recovery code is stored in the clear", async () => {
    const { operatorId, secret, recoveryCodes } = await newOperatorWithFactor();
    const row = await prisma.secondFactor.findUniqueOrThrow({
      where: { operatorId },
      include: { recoveryCodes: true },
    });
    const stored = [row.sealed, ...row.recoveryCodes.map(({ codeHash }) => codeHash)];
    const text = stored.map((bytes) => Buffer.from(bytes).toString("latin1")).join(" ");
    for (const one of [secret, ...recoveryCodes]) expect(text).not.toContain(one);
    expect(text).not.toContain(Buffer.from(Secret.fromBase32(secret).bytes).toString("latin1"));
  });

  /** Resolves with whether the person of a session must set up a second factor first. */
  async function mustSetUp(sessionHash: Uint8Array): Promise<boolean | undefined> {
    const credential = { case: "sessionHash", value: sessionHash } as const;
    return (await identity.authenticate({ credential })).identity?.mustSetUpFactor;
  }

  test("where operators must have one, they set it up first, and members and tokens need none", async () => {
    const { name, operatorId } = await newOperator();
    const { sessionHash, signedIn } = await byPassword(name);
    expect([signedIn?.mustSetUpFactor, await mustSetUp(sessionHash)]).toEqual([true, true]);
    const present = { sessionHash, presentPassword: password, issuer: "Tollgate" };
    const { secret } = await identity.createSecondFactor(present);
    // A secret is no second factor before a code of it was entered.
    expect(await mustSetUp(sessionHash)).toBe(true);
    await identity.enableSecondFactor({ sessionHash, code: codeOf(secret) });
    expect(await mustSetUp(sessionHash)).toBe(false);
    await operators.removeSecondFactor({ operatorId });
    expect(await mustSetUp(sessionHash)).toBe(true);
    await prisma.operator.update({ where: { id: operatorId }, data: { role: "customer" } });
    expect(await mustSetUp(sessionHash)).toBe(false);
    const token = await operators.createOperatorToken({ name: "ci", role: OperatorRole.OWNER });
    const credential = { case: "tokenHash", value: hashOf(token.text) } as const;
    const { identity: ofToken } = await identity.authenticate({ credential });
    expect(ofToken?.mustSetUpFactor).toBe(false);
  });

  test("a provider's sign-in needs no code, and sets up none", async () => {
    const person = { issuer: "https://id.example.com", subject: randomUUID(), name: "ada" };
    const value = { ...person, role: OperatorRole.VIEWER };
    const { sessionHash, needsCode } = await signIn({ case: "provider", value });
    expect([needsCode, await mustSetUp(sessionHash)]).toEqual([false, false]);
    await expect(identity.createSecondFactor({ sessionHash })).rejects.toThrow("by a provider");
  });
});
