import { randomUUID } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorDetailSchema } from "@tollgate/proto/tollgate/v1/error";
import { UsageBy } from "@tollgate/proto/tollgate/v1/ledger";
import { OperatorRole, OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { describe, expect, test } from "vitest";
import { codeOf, connectConsole } from "../src/console-client.ts";
import { eventually } from "../src/eventually.ts";
import { chatBody, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

/** What a customer sees in place of a provider. */
const noProvider = { provider: "", providerUsage: "" };

const { CUSTOMER, VIEWER, OPERATOR, OWNER } = OperatorRole;

const { stack } = await sharedStack();

describe("the console's API", () => {
  /** Creates an operator and signs in with the link. */
  async function signedIn(role = OWNER, account = "") {
    const name = `op-${randomUUID()}`;
    const { operator, link } = await stack.operator.createOperator({ name, role, account });
    const client = connectConsole(stack.consoleUrl);
    const secret = link?.secret ?? "";
    await client.console.signIn({ method: { case: "linkSecret", value: secret } });
    return { ...client, name, operatorId: operator?.id ?? "", secret };
  }

  /** Creates a token and a client that sends it. */
  async function withToken(role: OperatorRole, account = "") {
    const { token, text } = await stack.operator.createOperatorToken({ name: "ci", role, account });
    const client = connectConsole(stack.consoleUrl, { authorization: `Bearer ${text}` });
    return { ...client, tokenId: token?.id ?? "" };
  }

  test("a sign-in link begins a session in a cookie that no script can read", async () => {
    const { console, attributes, cookies, name, secret } = await signedIn();
    expect([...cookies.keys()]).toEqual(["tollgate-session"]);
    expect(attributes.get("tollgate-session")).toBe(
      "Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax",
    );
    expect((await console.getSession({})).operator).toMatchObject({ name, role: OWNER });
    const other = connectConsole(stack.consoleUrl);
    const again = other.console.signIn({ method: { case: "linkSecret", value: secret } });
    expect(await codeOf(again)).toBe(Code.Unauthenticated);
    expect((await other.console.getSession({})).operator).toBeUndefined();
    await console.signOut({});
    expect([...cookies.keys()]).toEqual([]);
    expect((await console.getSession({})).operator).toBeUndefined();
  });

  test("a password that is set signs in", async () => {
    const { console, name } = await signedIn(VIEWER);
    await console.setPassword({ newPassword: "correct horse battery" });
    const other = connectConsole(stack.consoleUrl);
    const signIn = (password: string) =>
      other.console.signIn({ method: { case: "password", value: { name, password } } });
    expect(await codeOf(signIn("wrong horse battery"))).toBe(Code.Unauthenticated);
    expect((await signIn("correct horse battery")).operator).toMatchObject({ name });
  });

  test("a page of another origin cannot make a call, and nobody can without a credential", async () => {
    const { cookies } = await signedIn();
    const foreign = connectConsole(stack.consoleUrl, { origin: "https://evil.example" });
    const without = connectConsole(stack.consoleUrl, {});
    for (const [name, value] of cookies) {
      foreign.cookies.set(name, value);
      without.cookies.set(name, value);
    }
    expect(await codeOf(foreign.operator.listAccounts({}))).toBe(Code.PermissionDenied);
    expect(await codeOf(without.operator.listAccounts({}))).toBe(Code.PermissionDenied);
    foreign.cookies.clear();
    const method = { case: "linkSecret", value: "x" } as const;
    expect(await codeOf(foreign.console.signIn({ method }))).toBe(Code.PermissionDenied);
    const nobody = connectConsole(stack.consoleUrl);
    expect(await codeOf(nobody.operator.listAccounts({}))).toBe(Code.Unauthenticated);
    const unknown = connectConsole(stack.consoleUrl, { authorization: "Bearer tgo-unknown" });
    expect(await codeOf(unknown.operator.listAccounts({}))).toBe(Code.Unauthenticated);
  });

  test("each role can make its calls, and none of the next", async () => {
    const [viewer, operator, owner] = [VIEWER, OPERATOR, OWNER].map((role) => withToken(role));
    const name = randomUUID();
    const create = { name, role: VIEWER };
    expect(await codeOf(call(await viewer, "listAccounts", {}))).toBeUndefined();
    expect(await codeOf(call(await viewer, "createAccount", { name }))).toBe(Code.PermissionDenied);
    expect(await codeOf(call(await operator, "createAccount", { name }))).toBeUndefined();
    expect(await codeOf(call(await operator, "createOperator", create))).toBe(
      Code.PermissionDenied,
    );
    expect(await codeOf(call(await owner, "createOperator", create))).toBeUndefined();
  });

  test("accounts are named by their ids, and those that do not exist are left out", async () => {
    const { operator } = await signedIn(OPERATOR);
    const name = `L'Oréal & AT&T ${randomUUID()}`;
    const { account } = await operator.createAccount({ name });
    const id = account?.id ?? "";
    const { names } = await operator.listAccountNames({ accountIds: [id, "acct_none"] });
    expect(names).toEqual({ [id]: name });
    const { keyId } = await operator.createKey({ account: id, name: "build" });
    expect((await operator.getKey({ keyId })).names).toEqual({ [id]: name });
    expect((await operator.listKeys({ account: id })).names).toEqual({ [id]: name });
    const tooMany = Array.from({ length: 1_001 }, (_, index) => `acct_${index}`);
    expect(await codeOf(operator.listAccountNames({ accountIds: tooMany }))).toBe(
      Code.InvalidArgument,
    );
  });

  test("a change is attributed to the operator or the token that made it", async () => {
    const session = await signedIn(OPERATOR);
    const token = await withToken(OPERATOR);
    const { account } = await session.operator.createAccount({ name: randomUUID() });
    const { id = "" } = account ?? {};
    await token.operator.updateAccount({ account: id, admission: "strict" });
    const { records } = await session.operator.listAudit({ account: id });
    expect(records).toMatchObject([
      { action: "UpdateAccount", actorKind: "token", actorId: token.tokenId, actorName: "ci" },
      {
        action: "CreateAccount",
        actorKind: "operator",
        actorId: session.operatorId,
        actorName: session.name,
      },
    ]);
  });

  test("an error names the field and has the gateway's own code", async () => {
    const { operator } = await withToken(OPERATOR);
    const error = await operator.createAccount({ name: "\t" }).catch(ConnectError.from);
    expect(error).toMatchObject({ code: Code.InvalidArgument });
    expect((error as ConnectError).findDetails(ErrorDetailSchema)).toMatchObject([
      { code: "invalid_param", param: "name" },
    ]);
  });

  test("a program needs no library: a call is a POST of JSON", async () => {
    const { accountId: account } = await stack.newAccount(1);
    const { text } = await stack.operator.createOperatorToken({ name: "curl", role: OPERATOR });
    const response = await fetch(`${stack.consoleUrl}/tollgate.v1.OperatorService/TopUpWallet`, {
      method: "POST",
      headers: { authorization: `Bearer ${text}`, "content-type": "application/json" },
      body: JSON.stringify({ account, amountNanoUsd: "25000000000", reference: "invoice-17" }),
    });
    expect(await response.json()).toMatchObject({
      wallet: { balanceNanoUsd: "26000000000" },
      credited: true,
    });
  });

  test("a field that a call does not have is refused by name", async () => {
    const { text } = await stack.operator.createOperatorToken({ name: "curl", role: OPERATOR });
    const response = await fetch(`${stack.consoleUrl}/tollgate.v1.OperatorService/CreateKey`, {
      method: "POST",
      headers: { authorization: `Bearer ${text}`, "content-type": "application/json" },
      body: JSON.stringify({ account: "acme", limit: { parallel: 1 } }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining('"limit"'),
    });
  });

  test("a customer finds nothing of another account by any call", async () => {
    const own = await stack.newAccount(1);
    const other = await stack.newAccount(1);
    const { operator } = await withToken(CUSTOMER, own.accountId);
    const { operators } = await stack.operator.listOperators({});
    const ids = {
      ...{ account: other.accountId, name: randomUUID(), keyId: other.keyId, id: other.accountId },
      ...{ operatorId: operators[0]?.id ?? "", tokenId: "token_0", reference: "r", reason: "r" },
    };
    for (const { localName, input } of OperatorService.methods) {
      const names = input.fields.map(({ localName: name }) => name);
      const fields = Object.fromEntries(
        Object.entries(ids).filter(([name]) => names.includes(name)),
      );
      const code = await codeOf(call({ operator }, localName, fields));
      expect([localName, code]).toEqual([
        localName,
        expect.toSatisfy((one) => one === Code.NotFound || one === Code.PermissionDenied),
      ]);
    }
  });

  test("a customer sees its own account, and no other where it names none", async () => {
    const { accountId, keyId } = await stack.newAccount(1.5);
    await stack.newAccount(1);
    const { operator } = await withToken(CUSTOMER, accountId);
    expect((await operator.getAccount({})).account).toMatchObject({ account: { id: accountId } });
    expect((await operator.listKeys({})).keys.map(({ id }) => id)).toEqual([keyId]);
    expect((await operator.getKey({ keyId })).key).toMatchObject({ accountId });
    const { entries } = await operator.listLedger({});
    expect(entries.map((entry) => entry.accountId)).toEqual([accountId]);
    expect((await operator.readWallet({})).wallet?.balanceNanoUsd).toBe(1_500_000_000n);
  });

  test("a customer sees what its requests cost, and not who served them", async () => {
    const { accountId, keyId, key } = await stack.newAccount(1);
    const body = chatBody({ model: "test-failover-console" });
    const id = requestIdOf(await send(`${stack.url}/v1/chat/completions`, { key, body })) ?? "";
    const full = await eventually(() => stack.operator.getRequest({ id }));
    const { operator } = await withToken(CUSTOMER, accountId);
    const { requests, entries, names } = await operator.getRequest({ id });
    expect(Object.keys(names).toSorted()).toEqual([accountId, keyId].toSorted());
    const [request] = full.requests;
    const [entry] = full.entries;
    expect(request).toMatchObject({ provider: "sim", attempts: [{}, {}] });
    expect(requests).toEqual([{ ...request, ...noProvider, upstreamModel: "", attempts: [] }]);
    expect(entries).toEqual([{ ...entry, ...noProvider }]);
    expect(requests[0]?.lines).toMatchObject([{ dimension: "input" }, { dimension: "output" }]);
    const now = BigInt(Math.floor(Date.now() / 3_600_000) * 3_600);
    const period = { from: { seconds: now }, to: { seconds: now + 3_600n } };
    const responses = await Promise.all([
      operator.listRequests({}),
      operator.listLedger({}),
      operator.readOverview(period),
      operator.readUsage({ ...period, by: UsageBy.MODEL, asCsv: true }),
    ]);
    expect(responses[0].names).toEqual(names);
    const text = JSON.stringify(responses, (_name, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(text).toContain("test-failover-console");
    expect(responses[3].csv).toMatch(
      /^model,requests,.*,uncollected_usd\ntest-failover-console,1,/,
    );
    for (const secret of ['"sim"', "status=503", '"second"', '\\"prompt_tokens\\"']) {
      expect(text).not.toContain(secret);
    }
    const providersId = request?.attempts[1]?.providerRequestId ?? "";
    expect(providersId).toMatch(/^sim_/);
    expect(await codeOf(operator.getRequest({ id: providersId }))).toBe(Code.NotFound);
    const byProvider = operator.readUsage({ ...period, by: UsageBy.PROVIDER });
    expect(await codeOf(byProvider)).toBe(Code.PermissionDenied);
    const ofProvider = operator.listRequests({ provider: "sim" });
    expect(await codeOf(ofProvider)).toBe(Code.PermissionDenied);
  });

  test("the stored conversations of an account are counted over all of its keys", async () => {
    const { accountId, key } = await stack.newAccount(1);
    const second = await stack.operator.createKey({ account: accountId });
    const { operator } = await withToken(CUSTOMER, accountId);
    expect(await operator.countAccountConversations({})).toMatchObject({ conversations: 0 });
    const [one, two] = [randomUUID(), randomUUID()];
    for (const [text, session_id] of [
      [key, one],
      [key, two],
      [second.key, one],
    ] as const) {
      const body = chatBody({ session_id });
      const { status } = await send(`${stack.url}/v1/chat/completions`, { key: text, body });
      expect(status).toBe(200);
    }
    await send(`${stack.url}/v1/conversations/${two}`, { key, method: "DELETE" });
    expect(await operator.countAccountConversations({})).toMatchObject({ conversations: 2 });
  });

  test("the models of the catalog are listed with their prices, and a catalog is checked", async () => {
    const { operator } = await withToken(OPERATOR);
    const { models } = await operator.listModels({});
    expect(models.length).toBeGreaterThan(0);
    expect(models.map(({ alias }) => alias)).toEqual(models.map(({ alias }) => alias).sort());
    expect(models[0]?.slots[0]?.prices[0]).toMatchObject({ dimension: "input" });
    expect((await operator.checkCatalog({ text: "models: 7" })).errors).toEqual([
      "providers: is required",
      expect.stringMatching(/^models: /),
    ]);
  });

  test("responses confine what a page can load, and a path of the page is no file", async () => {
    const response = await fetch(`${stack.consoleUrl}/accounts`);
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'self';/);
    expect(response.headers.get("x-frame-options")).toBe("DENY");
    // 503 with an explanation where the page has not been built.
    expect([200, 503]).toContain(response.status);
    expect((await fetch(`${stack.consoleUrl}/assets/none.js`)).status).toBe(404);
  });

  test("a body of more than 2 MiB is refused", async () => {
    const { operator } = await withToken(OPERATOR);
    const name = "x".repeat(2 * 1024 * 1024);
    expect(await codeOf(operator.createAccount({ name }))).toBe(Code.ResourceExhausted);
  });

  function call(client: { operator: object } | undefined, name: string, fields: object) {
    const calls = client?.operator as Record<string, (fields: object) => Promise<unknown>>;
    return calls[name]?.(fields) ?? Promise.reject(new Error(`no call ${name}`));
  }
});
