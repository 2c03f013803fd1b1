import { randomUUID } from "node:crypto";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  test,
  vi,
} from "vitest";
import { eventually } from "../src/eventually.ts";
import { joinAs } from "../src/members.ts";
import { chatBody, requestIdOf, send, simulate } from "../src/request.ts";
import { type OwnStack, startStack, type TestAccount, testSecrets } from "../src/stack.ts";
import { placesOf } from "../src/stored-text.ts";

type Line = Record<string, unknown>;

describe("the log", () => {
  let stack: OwnStack;
  let account: TestAccount;
  let written = "";
  let atStart: Line[];

  beforeEach(() => {
    written = "";
    captureStandardError();
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  beforeAll(async () => {
    captureStandardError();
    stack = await startStack({ TOLLGATE_LOG: "info" });
    account = await stack.newAccount(1);
    atStart = allLines();
  });

  afterAll(() => stack.stop());

  /** The standard error of the gateway's processes is written to that of this one. */
  function captureStandardError(): void {
    vi.spyOn(process.stderr, "write").mockImplementation((part) => {
      written += part.toString();
      return true;
    });
  }

  function allLines(): Line[] {
    const lines = written.split("\n").filter((line) => line.startsWith("{"));
    return lines.map((line) => JSON.parse(line) as Line);
  }

  function linesOf(requestId: string | null): Line[] {
    return allLines().filter((line) => line.request_id === requestId);
  }

  function post(more: Record<string, unknown> = {}, headers = {}) {
    const body = chatBody(more);
    return send(`${stack.url}/v1/chat/completions`, { key: account.key, body, headers });
  }

  test("has one line of a process that is ready, with its version and its addresses", () => {
    const ready = atStart.filter(({ msg }) => msg === "ready");
    const services = ready.flatMap((line) => line.services);
    expect(new Set(services).size).toBe(8);
    for (const line of ready) expect(line.version).toMatch(/^\d+\.\d+\.\d+/);
    const proxied = ready.filter(({ http }) => http !== undefined);
    // One process has no port for uploads: the edge proxies them to a socket.
    const expected = inject("shape") === "fleet" ? ["audio", "document"] : [];
    expect(new Set(proxied.flatMap((line) => line.services))).toEqual(new Set(expected));
    for (const { http } of proxied) expect(http).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  test("has one line for a request and one for its generation, with duration and cost", async () => {
    const response = await post({ model: "test-failover" }, { "x-request-id": "client's own" });
    const { usage } = response.body as { usage: Record<string, number> & { cost: number } };
    await eventually(() => expect(linesOf(requestIdOf(response))).toHaveLength(2));
    const lines = linesOf(requestIdOf(response));
    expect(lines.find(({ msg }) => msg === "request")).toMatchObject({
      service: "edge",
      client_request_id: "client's own",
      method: "POST",
      path: "/v1/chat/completions",
      alias: "test-failover",
      status: 200,
      client_disconnected: false,
      ms: expect.any(Number),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(lines.find(({ msg }) => msg === "generation")).toMatchObject({
      service: "chat",
      route_type: "chat",
      alias: "test-failover",
      slot: "sim/second",
      billed: true,
      cost_usd: usage.cost.toFixed(6),
      lines: [
        { dimension: "input", quantity: usage.prompt_tokens, amount_nano_usd: expect.any(String) },
        {
          dimension: "output",
          quantity: usage.completion_tokens,
          amount_nano_usd: expect.any(String),
        },
      ],
      ms: expect.any(Number),
    });
  });

  test("records refusals, and generations that were not billed", async () => {
    const refused = await post({ model: "no-such-alias" });
    await eventually(() => expect(linesOf(requestIdOf(refused))).toHaveLength(1));
    expect(linesOf(requestIdOf(refused))[0]).toMatchObject({
      ...{ status: 404, code: "model_not_found", alias: "" },
      ...{ account_id: account.accountId, key_id: account.keyId },
    });
    const failed = await post({ model: "test-failing" });
    await eventually(() => expect(linesOf(requestIdOf(failed))).toHaveLength(2));
    const [generation] = linesOf(requestIdOf(failed)).filter(({ msg }) => msg === "generation");
    expect(generation).toMatchObject({ billed: false });
    expect(generation?.cost_usd).toBeUndefined();
  });

  test("contains no prompt, no response and no secret, whatever fails", async () => {
    const messages = [{ role: "user", content: "the-prompt-itself" }];
    const responses = [
      await post({ messages, stream: true }),
      await post({ messages, model: "test-failing" }),
      await post({ messages, model: "test-cut", stream: true }),
      await post({ messages, unknown_field: "the-prompt-itself" }),
      await post({ messages, ...simulate("status=400&message=the-prompt-itself") }),
      await post({ messages, model: "test-keyed" }),
    ];
    const last = responses.at(-1) ?? null;
    await eventually(() => expect(linesOf(last && requestIdOf(last))).toHaveLength(2));
    expect(written).toContain("slot failed");
    const text = (responses[0]?.text.match(/"content":"([^"]{8,})"/) ?? [])[1] ?? "no text came";
    const secrets = [
      account.key,
      "provider-secret",
      ...Object.values(testSecrets),
      "the-prompt-itself",
      text,
    ];
    for (const secret of secrets) expect(written).not.toContain(secret);
  });

  test("no prompt and no response is in the database, the spool, the broker or the log", async () => {
    const prompt = `prompt-${randomUUID()}`;
    const ask = (more: object, headers = {}) =>
      post({ messages: [{ role: "user", content: prompt }], ...more }, headers);
    const responses = [
      await ask({}),
      await ask({ stream: true }),
      await ask({ model: "test-failover" }),
      await ask({ model: "test-cut", stream: true }),
      await ask(simulate("status=400")),
      await ask({ unknown_field: prompt }),
      await ask({ user: "end-user" }),
    ];
    expect(responses[0]?.text).toContain(prompt);
    for (const response of responses) {
      await eventually(() => stack.operator.getRequest({ id: requestIdOf(response) ?? "" }));
    }
    expect(await placesOf(prompt, stack)).toEqual([]);
    expect(written).not.toContain(prompt);
    for (const response of responses) {
      const requestId = requestIdOf(response) ?? "";
      const read = stack.operator.viewRequestContent({ requestId });
      await expect(read).rejects.toMatchObject({ code: "not_found" });
    }
    // A response that is stored for its idempotency key is found.
    await ask({}, { "idempotency-key": randomUUID() });
    await eventually(async () =>
      expect(await placesOf(prompt, stack)).toEqual(["edge.idempotency_record"]),
    );
  });

  test("an account's prompts are read by its admin where it stores them, and are encrypted", async () => {
    const storing = await stack.newAccount(1);
    await stack.operator.updateContentDays({ account: storing.accountId, days: 1 });
    const admin = await joinAs(stack, storing.accountId, MemberRole.ADMIN);
    const prompt = `prompt-${randomUUID()}`;
    const messages = [{ role: "user", content: prompt }];
    const chat = { model: "test-small", messages };
    const ask = (path: string, body: object) =>
      send(`${stack.url}${path}`, { key: storing.key, body, headers: {} });
    const answered = [
      await ask("/v1/chat/completions", chat),
      await ask("/v1/chat/completions", { ...chat, stream: true }),
      await ask("/v1/messages", { ...chat, max_tokens: 100 }),
      await ask("/v1/responses", { model: "test-small", input: prompt, stream: true }),
    ];
    const unanswered = [
      await ask("/v1/chat/completions", { ...chat, model: "test-failing" }),
      await ask("/v1/embeddings", { model: "test-embed", input: prompt }),
    ];
    for (const response of [...answered, ...unanswered]) {
      const request = { requestId: requestIdOf(response) ?? "", account: "" };
      const content = await eventually(async () => {
        return (await admin.operator.viewRequestContent(request)).content;
      });
      expect(content?.request).toContain(prompt);
      // The simulator echoes the prompt, in a stream word by word.
      const text = content?.response ?? "";
      if (unanswered.includes(response)) expect(text).toBe("");
      else expect(text === response.text || text.includes(prompt)).toBe(true);
    }
    const refused = await ask("/v1/chat/completions", { ...chat, model: "no-such-alias" });
    expect(await placesOf(prompt, stack)).toEqual([]);
    expect(written).not.toContain(prompt);
    const requestId = requestIdOf(refused) ?? "";
    await expect(stack.operator.viewRequestContent({ requestId })).rejects.toThrow(/stored/);
    await stack.operator.closeAccount({ account: storing.accountId });
    const first = { requestId: requestIdOf(answered[0] ?? refused) ?? "" };
    await expect(stack.operator.viewRequestContent(first)).rejects.toThrow(/stored/);
  });
});
