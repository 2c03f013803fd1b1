import { Code } from "@connectrpc/connect";
import { BudgetPeriod } from "@tollgate/proto/tollgate/v1/limits";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import { OperatorRole } from "@tollgate/proto/tollgate/v1/operator";
import { describe, expect, test } from "vitest";
import { type ConsoleClient, codeOf, connectConsole } from "../src/console-client.ts";
import { eventually } from "../src/eventually.ts";
import { readWalletRow } from "../src/ledger.ts";
import { joinAs } from "../src/members.ts";
import { chatBody, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { ADMIN, DEVELOPER, BILLING } = MemberRole;
const { stack } = await sharedStack();

/** Sends a request as the page of somebody who is signed in does. */
async function play(
  { cookies }: Pick<ConsoleClient, "cookies">,
  { account = "", origin = stack.consoleUrl, signal, ...more }: PlayOptions = {},
): Promise<Response> {
  const query = account === "" ? "" : `?account=${account}`;
  return fetch(`${stack.consoleUrl}/playground/chat/completions${query}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      origin,
      cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
    },
    body: JSON.stringify(chatBody({ model: "test-small", ...more })),
    ...(signal && { signal }),
  });
}

interface PlayOptions {
  account?: string;
  origin?: string;
  signal?: AbortSignal;
  [member: string]: unknown;
}

/** Signs a new operator in. */
async function operatorAs(role: OperatorRole): Promise<ConsoleClient> {
  const name = `operator ${crypto.randomUUID()}`;
  const { link } = await stack.operator.createOperator({ name, role });
  const client = connectConsole(stack.consoleUrl);
  await client.console.signIn({ method: { case: "linkSecret", value: link?.secret ?? "" } });
  return client;
}

const nobody = { cookies: new Map<string, string>() };

describe("the playground", () => {
  test("streams a response with its cost, which the account of the member pays", async () => {
    const account = await stack.newAccount(1);
    const developer = await joinAs(stack, account.accountId, DEVELOPER);
    const response = await play(developer, { stream: true });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const text = await response.text();
    expect(text).toMatch(/"cost":0\.\d{6}.*\n\ndata: \[DONE\]/);
    const requestId = response.headers.get("x-request-id") ?? "";
    const { requests } = await eventually(async () => {
      const found = await developer.operator.getRequest({ id: requestId });
      expect(found.requests).toHaveLength(1);
      return found;
    });
    const keyId = requests[0]?.keyId ?? "";
    const { key } = await developer.operator.getKey({ keyId });
    expect(key).toMatchObject({
      ...{ channel: "playground", name: "Playground", owner: developer.email },
      limits: { limits: { budget: { period: BudgetPeriod.DAY, amountNanoUsd: 1_000_000_000n } } },
    });
    expect((await developer.operator.listKeys({})).keys).toEqual([]);
    const session = await developer.console.getSession({});
    expect(session).toMatchObject({ hasPlayground: true, gatewayUrl: stack.url });
  });

  test("is for those who may make keys, from the console's own page", async () => {
    const { accountId: account } = await stack.newAccount(1);
    const other = await stack.newAccount(1);
    const statusOf = async (...request: Parameters<typeof play>) => (await play(...request)).status;
    expect(await statusOf(nobody)).toBe(401);
    expect(await statusOf(await joinAs(stack, account, BILLING))).toBe(403);
    const admin = await joinAs(stack, account, ADMIN);
    expect(await statusOf(admin)).toBe(200);
    expect(await statusOf(admin, { account: other.accountId })).toBe(404);
    expect(await statusOf(admin, { origin: "https://elsewhere.example" })).toBe(403);
    expect(await statusOf(await operatorAs(OperatorRole.VIEWER), { account })).toBe(403);
    const operator = await operatorAs(OperatorRole.OPERATOR);
    expect(await statusOf(operator)).toBe(400);
    expect(await statusOf(operator, { account })).toBe(200);
  });

  test("stays within the bounds of the account, however often its key is revoked", async () => {
    const { accountId: account } = await stack.newAccount(1);
    const limits = { budget: { period: BudgetPeriod.MONTH, amountNanoUsd: 1_000n } };
    const keyBounds = { maxKeys: 1, limits, models: ["test-small"] };
    await stack.operator.updateAccount({ account, keyBounds });
    const admin = await joinAs(stack, account, ADMIN);
    const unbounded = await joinAs(stack, (await stack.newAccount(1)).accountId, ADMIN);
    expect((await play(unbounded, { model: "test-vision" })).status).toBe(200);
    const refused = await play(admin, { model: "test-vision" });
    expect(refused.status).toBe(404);
    expect(await refused.text()).toContain("model_not_found");
    // A request may exceed the rest of a budget by its own cost.
    await eventually(async () => expect((await play(admin)).status).toBe(402));
    await admin.operator.revokeAccountKeys({});
    expect((await play(admin)).status).toBe(402);
    // It is none of the keys that the bounds count.
    await admin.operator.createKey({});
    await stack.operator.updateAccount({ account, keyBounds: { maxKeys: 0, models: [] } });
    const withoutKeys = await joinAs(stack, account, DEVELOPER);
    expect((await play(withoutKeys)).status).toBe(400);
  });

  test("goes on with another text after its key was revoked, and the key cannot be changed", async () => {
    const { accountId: account } = await stack.newAccount(1);
    const admin = await joinAs(stack, account, ADMIN);
    expect((await play(admin)).status).toBe(200);
    const { requests } = await eventually(async () => {
      const listed = await admin.operator.listRequests({});
      expect(listed.requests).toHaveLength(1);
      return listed;
    });
    const keyId = requests[0]?.keyId ?? "";
    expect(await codeOf(admin.operator.rotateKey({ keyId }))).toBe(Code.InvalidArgument);
    const raised = { keyId, limits: { remove: [1] } };
    expect(await codeOf(admin.operator.updateKey(raised))).toBe(Code.InvalidArgument);
    await admin.operator.revokeKey({ keyId });
    await eventually(async () => {
      expect((await play(admin)).status).toBe(200);
      expect((await admin.operator.getKey({ keyId })).key?.revokedAt).toBeUndefined();
    });
  });

  test("cancels a request whose page has left, and charges what was delivered", async () => {
    const account = await stack.newAccount(1);
    const developer = await joinAs(stack, account.accountId, DEVELOPER);
    const stopping = new AbortController();
    const user = crypto.randomUUID();
    const response = await play(developer, {
      signal: stopping.signal,
      ...{ stream: true, user, metadata: { simulate: "chunks=1000&gap_ms=10" } },
    });
    await response.body?.getReader().read();
    stopping.abort();
    await eventually(async () => {
      const { entries } = await readWalletRow(stack, account);
      expect(entries.map(({ basis }) => basis)).toContain("tokenized");
    });
    const calls = stack.simulator.calls.list({ user });
    expect(calls).toMatchObject([{ outcome: "client_disconnected" }]);
  });

  test("shows the refusals of the gateway as they are", async () => {
    const { accountId } = await stack.newAccount(0);
    const developer = await joinAs(stack, accountId, DEVELOPER);
    const response = await play(developer);
    const direct = await stack.newAccount(0);
    const body = chatBody();
    const expected = await send(`${stack.url}/v1/chat/completions`, { key: direct.key, body });
    expect([response.status, await response.json()]).toEqual([expected.status, expected.body]);
  });
});
