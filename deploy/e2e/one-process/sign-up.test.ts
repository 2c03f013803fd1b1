import { randomUUID } from "node:crypto";
import { Code } from "@connectrpc/connect";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeOf, connectConsole } from "../src/console-client.ts";
import { eventually } from "../src/eventually.ts";
import { startMailStack } from "../src/mail-stack.ts";
import { memberPassword } from "../src/members.ts";
import type { SmtpServerUnderTest } from "../src/smtp-server.ts";
import type { OwnStack } from "../src/stack.ts";

const password = memberPassword;
const creditNanoUsd = 2_500_000_000n;

describe("signing up by mail", () => {
  let stack: OwnStack;
  let smtp: SmtpServerUnderTest;
  let origin: string;
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    ({ stack, smtp, origin, stop } = await startMailStack({
      TOLLGATE_SIGNUP: "open",
      TOLLGATE_SIGNUP_CREDIT: "2.5",
      TOLLGATE_TERMS_URL: "https://example.com/terms",
      // Each client of a test has an address of its own, by X-Forwarded-For.
      TOLLGATE_CONSOLE_PROXIES: "1",
    }));
  });

  afterAll(() => stop?.());

  let clients = 0;

  /** Returns a client with an address of its own. */
  function newClient(address?: string) {
    clients += 1;
    const forwarded = address ?? `198.51.100.${clients}`;
    return connectConsole(origin, { origin, "x-forwarded-for": forwarded });
  }

  const newAddress = (host = `${randomUUID()}.example`) => `${randomUUID()}@${host}`;

  /** Signs up and confirms the address. */
  async function signUp(email: string, accountName: string = randomUUID()) {
    const client = newClient();
    await client.console.signUp({ email, accountName, acceptsTerms: true });
    const secret = await smtp.secretTo(email, "/sign-up");
    await client.console.confirmSignUp({ secret, name: "Ada", password });
    return { ...client, secret, accountName };
  }

  const balanceOf = async ({ operator }: Pick<Awaited<ReturnType<typeof signUp>>, "operator">) =>
    (await operator.readWallet({})).wallet?.balanceNanoUsd;

  test("opens an account with the start credit, whose admin makes a key", async () => {
    const email = newAddress();
    const client = await signUp(email);
    const session = await client.console.getSession({});
    expect(session).toMatchObject({ memberRole: MemberRole.ADMIN, operator: { email } });
    expect(session.memberships).toMatchObject([{ accountName: client.accountName }]);
    expect(await balanceOf(client)).toBe(creditNanoUsd);
    expect((await client.operator.createKey({})).key).toMatch(/^sk-/);
    const again = client.console.confirmSignUp({ secret: client.secret, name: "Eve", password });
    expect(await codeOf(again)).toBe(Code.NotFound);
  });

  test("opens an account with a bound of its keys, which an operator changes", async () => {
    const client = await signUp(newAddress());
    const account = client.accountName;
    const { account: opened } = await stack.operator.getAccount({ account });
    expect(opened?.account?.keyBounds).toMatchObject({ maxKeys: 100, models: [] });
    await stack.operator.updateAccount({ account, keyBounds: { maxKeys: 1 } });
    await client.operator.createKey({});
    expect(await codeOf(client.operator.createKey({}))).toBe(Code.InvalidArgument);
  });

  test("gives the start credit once for a domain, and once for a mailbox at a public host", async () => {
    const host = `${randomUUID()}.example`;
    expect(await balanceOf(await signUp(newAddress(host)))).toBe(creditNanoUsd);
    expect(await balanceOf(await signUp(newAddress(`mail.${host}`)))).toBe(0n);
    const name = randomUUID().slice(0, 8);
    expect(await balanceOf(await signUp(`${name}@gmail.com`))).toBe(creditNanoUsd);
    expect(await balanceOf(await signUp(`${name}+2@gmail.com`))).toBe(0n);
    expect(await balanceOf(await signUp(newAddress("gmail.com")))).toBe(creditNanoUsd);
  });

  test("does not reveal which addresses and names of accounts are taken", async () => {
    const email = newAddress();
    const { accountName } = await signUp(email);
    const client = newClient();
    const responses = await Promise.all([
      client.console.signUp({ email, accountName, acceptsTerms: true }),
      client.console.signUp({ email: newAddress(), accountName, acceptsTerms: true }),
      client.console.resetPassword({ email }),
      client.console.resetPassword({ email: newAddress() }),
    ]);
    expect(responses.map((one) => Object.keys(one))).toEqual(responses.map(() => ["$typeName"]));
    await eventually(() => {
      const mails = smtp.received.filter(({ to }) => to === email);
      expect(mails.map(({ content }) => /Subject: (.*)/.exec(content)?.[1])).toEqual(
        expect.arrayContaining([
          expect.stringContaining("You have signed up"),
          expect.stringContaining("another password"),
        ]),
      );
    });
    const second = await signUp(newAddress(), accountName);
    const [membership] = (await second.console.getSession({})).memberships;
    expect(membership?.accountName).toMatch(new RegExp(`^${accountName}-[0-9a-f]{8}$`));
  });

  test("sends no more mail to an address, or for a network, than its share of a day", async () => {
    const email = newAddress();
    const send = (address?: string, to = email) =>
      codeOf(newClient(address).console.resetPassword({ email: to }));
    const codes: (number | undefined)[] = [];
    for (let mail = 0; mail < 6; mail += 1) codes.push(await send());
    expect(codes).toEqual([...Array.from({ length: 5 }), Code.ResourceExhausted]);
    const network = "2001:db8:7:7::";
    for (let mail = 1; mail <= 20; mail += 1) {
      expect(await send(`${network}${mail}`, newAddress())).toBeUndefined();
    }
    expect(await send(`${network}ffff`, newAddress())).toBe(Code.ResourceExhausted);
    expect(await send("2001:db8:7:8::1", newAddress())).toBeUndefined();
  });

  test("is refused without the terms, and by a link that is not valid", async () => {
    const { console } = newClient();
    const refused = console.signUp({ email: newAddress(), accountName: "acme" });
    expect(await codeOf(refused)).toBe(Code.InvalidArgument);
    const guessed = console.confirmSignUp({ secret: "guessed", name: "Eve", password });
    expect(await codeOf(guessed)).toBe(Code.NotFound);
  });

  test("a forgotten password is replaced by a link, which works once", async () => {
    const email = newAddress();
    const old = await signUp(email);
    const client = newClient();
    await client.console.resetPassword({ email });
    const value = await smtp.secretTo(email, "/reset");
    const method = { case: "linkSecret", value } as const;
    await client.console.signIn({ method });
    await client.console.setPassword({ newPassword: "another long password" });
    expect((await old.console.getSession({})).operator).toBeUndefined();
    expect(await codeOf(newClient().console.signIn({ method }))).toBe(Code.Unauthenticated);
  });

  test("a forgotten password is replaced with a code of the second factor alone", async () => {
    const email = newAddress();
    const { console: owner } = await signUp(email);
    const { secret, uri } = await owner.setUpSecondFactor({ presentPassword: password });
    expect(uri).toContain(`otpauth://totp/${encodeURIComponent(new URL(origin).host)}:`);
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const { recoveryCodes } = await owner.confirmSecondFactor({ code: totp.generate() });
    const client = newClient();
    await client.console.resetPassword({ email });
    const value = await smtp.secretTo(email, "/reset");
    const method = { case: "linkSecret", value } as const;
    const begun = await client.console.signIn({ method });
    expect([begun.needsCode, begun.operator]).toEqual([true, undefined]);
    const newPassword = "another long password";
    const early = client.console.setPassword({ newPassword });
    expect(await codeOf(early)).toBe(Code.Unauthenticated);
    const [code = ""] = recoveryCodes;
    const { operator } = await client.console.enterCode({ code });
    expect(operator).toMatchObject({ email, hasSecondFactor: true });
    await client.console.setPassword({ newPassword });
    await client.console.signIn({
      method: { case: "password", value: { name: email, password: newPassword } },
    });
    expect(await codeOf(client.console.enterCode({ code }))).toBe(Code.Unauthenticated);
    expect((await client.console.getSession({})).operator).toBeUndefined();
  });

  test("an admin invites by mail, and never sees the link", async () => {
    const admin = await signUp(newAddress());
    const email = newAddress();
    const invited = await admin.operator.inviteMember({ email, role: MemberRole.DEVELOPER });
    expect(invited.secret).toBe("");
    const secret = await smtp.secretTo(email, "/invitation");
    const client = newClient();
    await client.console.joinAccount({ secret, name: "Bob", password });
    expect((await client.console.getSession({})).memberRole).toBe(MemberRole.DEVELOPER);
  });
});
