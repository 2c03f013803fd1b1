import { randomUUID } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { freePort } from "@tollgate/local/free-port";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeOf, connectConsole } from "../src/console-client.ts";
import { eventually } from "../src/eventually.ts";
import { startMailStack } from "../src/mail-stack.ts";
import { memberPassword } from "../src/members.ts";
import type { SmtpServerUnderTest } from "../src/smtp-server.ts";
import type { OwnStack } from "../src/stack.ts";

const password = memberPassword;

describe("the listener for customers", () => {
  let stack: OwnStack;
  let smtp: SmtpServerUnderTest;
  let operatorsUrl: string;
  let customersUrl = "";
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    const customers = `127.0.0.1:${await freePort()}`;
    customersUrl = `http://${customers}`;
    const started = await startMailStack({
      TOLLGATE_CUSTOMER_LISTEN: customers,
      TOLLGATE_CUSTOMER_URL: customersUrl,
      // Each client of a test has an address of its own, by X-Forwarded-For.
      TOLLGATE_CONSOLE_PROXIES: "1",
    });
    ({ stack, smtp, stop } = started);
    operatorsUrl = started.origin;
  });

  afterAll(() => stop?.());

  let clients = 0;

  function connect(origin: string) {
    clients += 1;
    return connectConsole(origin, { origin, "x-forwarded-for": `198.51.100.${clients}` });
  }

  const byPassword = (name: string, password: string) =>
    ({ method: { case: "password", value: { name, password } } }) as const;

  /** Creates an owner with a password, who is signed in at the operators' listener. */
  async function newOwner() {
    const name = `owner-${randomUUID()}`;
    const { link } = await stack.operator.createOperator({ name, role: OperatorRole.OWNER });
    const client = connect(operatorsUrl);
    const method = { case: "linkSecret", value: link?.secret ?? "" } as const;
    const { operator } = await client.console.signIn({ method });
    await client.console.setPassword({ newPassword: password });
    return { ...client, name, operatorId: operator?.id ?? "" };
  }

  /** Invites a person to a new account. Resolves with the address and the link of the mail. */
  async function invite() {
    const name = `account of ${randomUUID()}`;
    const { account } = await stack.operator.createAccount({ name });
    const email = `${randomUUID()}@${randomUUID()}.example`;
    await stack.operator.inviteMember({ account: name, email, role: MemberRole.ADMIN });
    const secret = await smtp.secretTo(email, "/invitation");
    return { accountId: account?.id ?? "", email, secret };
  }

  test("has the members' pages and calls, to which the links of mail lead", async () => {
    const { accountId, email, secret } = await invite();
    const mail = smtp.received.find(({ to }) => to === email);
    const text = mail?.content.replaceAll("=\r\n", "");
    expect(text).toContain(`${customersUrl}/invitation#`);
    const client = connect(customersUrl);
    await client.console.joinAccount({ secret, name: "Ada", password });
    const { console: again, operator } = connect(customersUrl);
    await again.signIn(byPassword(email, password));
    expect((await again.getSession({})).accountId).toBe(accountId);
    expect((await operator.getAccount({})).account?.account?.id).toBe(accountId);
    expect(await codeOf(operator.listAccounts({}))).toBe(Code.PermissionDenied);
    const page = await fetch(`${customersUrl}/sign-in`);
    expect([page.status, page.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/html"),
    ]);
    expect((await fetch(`${customersUrl}/webhooks/stripe`, { method: "POST" })).status).toBe(404);
  });

  test("refuses the right password of an operator as it refuses a wrong one", async () => {
    const { name } = await newOwner();
    const errorOf = async (tried: string) => {
      const client = connect(customersUrl);
      const signIn = client.console.signIn(byPassword(name, tried));
      const error = await signIn.then(() => undefined, ConnectError.from);
      return [error?.code, error?.message, [...client.cookies]];
    };
    const refused = [Code.Unauthenticated, expect.stringContaining("is not correct"), []];
    expect(await errorOf(password)).toEqual(refused);
    expect(await errorOf(password)).toEqual(await errorOf("wrong horse battery"));
    await connect(operatorsUrl).console.signIn(byPassword(name, password));
  });

  test("counts the right password of an operator as a failure, apart from the console's", async () => {
    const { name } = await newOwner();
    const { console: guessing } = connect(customersUrl);
    const codes: (number | undefined)[] = [];
    for (let guess = 0; guess < 6; guess += 1) {
      codes.push(await codeOf(guessing.signIn(byPassword(name, password))));
    }
    const refused = Array.from({ length: 5 }, () => Code.Unauthenticated);
    expect(codes).toEqual([...refused, Code.ResourceExhausted]);
    // The same address signs in where operators do.
    const forwarded = { origin: operatorsUrl, "x-forwarded-for": `198.51.100.${clients}` };
    const { console } = connectConsole(operatorsUrl, forwarded);
    expect((await console.signIn(byPassword(name, password))).operator?.name).toBe(name);
  });

  test("knows neither the session, the link nor the token of an operator", async () => {
    const owner = await newOwner();
    const session = connect(customersUrl);
    for (const [cookie, value] of owner.cookies) session.cookies.set(cookie, value);
    expect((await session.console.getSession({})).operator).toBeUndefined();
    expect(await codeOf(session.operator.listAccounts({}))).toBe(Code.Unauthenticated);
    const request = { name: "ci", role: OperatorRole.VIEWER };
    const { text } = await owner.operator.createOperatorToken(request);
    const headers = { authorization: `Bearer ${text}` };
    const byToken = connectConsole(customersUrl, headers).operator.listAccounts({});
    expect(await codeOf(byToken)).toBe(Code.Unauthenticated);
    const { link } = await stack.operator.createSignInLink({ operatorId: owner.operatorId });
    const method = { case: "linkSecret", value: link?.secret ?? "" } as const;
    const refused = connect(customersUrl).console.signIn({ method });
    expect(await codeOf(refused)).toBe(Code.Unauthenticated);
    // The link is not used up.
    const { operator } = await connect(operatorsUrl).console.signIn({ method });
    expect(operator?.id).toBe(owner.operatorId);
  });

  test("takes changes from pages of its own origin only", async () => {
    const { email, secret } = await invite();
    await connect(customersUrl).console.joinAccount({ secret, name: "Ada", password });
    const foreign = connectConsole(customersUrl, { origin: operatorsUrl });
    const refused = foreign.console.signIn(byPassword(email, password));
    expect(await codeOf(refused)).toBe(Code.PermissionDenied);
    await eventually(() => connect(operatorsUrl).console.signIn(byPassword(email, password)));
  });
});
