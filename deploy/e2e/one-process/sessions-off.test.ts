import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatBody, expectEnvelope, send } from "../src/request.ts";
import { type OwnStack, startStack } from "../src/stack.ts";

describe("without a conversation store", () => {
  let stack: OwnStack;

  beforeAll(async () => {
    stack = await startStack({ TOLLGATE_SESSIONS: "off" });
  });

  afterAll(() => stack.stop());

  test("a session_id is refused, and there are no conversations", async () => {
    const { key } = await stack.newAccount(1);
    for (const stream of [false, true]) {
      const response = await send(`${stack.url}/v1/chat/completions`, {
        key,
        body: chatBody({ session_id: randomUUID(), stream }),
      });
      expectEnvelope(response, 400, "sessions_unavailable", "session_id");
    }
    const list = await send(`${stack.url}/v1/conversations`, { key });
    expect(list.body).toMatchObject({ data: [], total: 0 });
    const one = await send(`${stack.url}/v1/conversations/${randomUUID()}`, { key });
    expectEnvelope(one, 404, "conversation_not_found");
    const all = await send(`${stack.url}/v1/conversations`, { key, method: "DELETE" });
    expect(all.status).toBe(204);
    expect((await send(`${stack.url}/v1/chat/completions`, { key, body: chatBody() })).status).toBe(
      200,
    );
  });
});
