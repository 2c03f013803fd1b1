import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf } from "../src/ledger.ts";
import { chatBody, requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { TestAccount } from "../src/stack.ts";

const { stack, account } = await sharedStack();

const messages = [{ role: "user", content: "Hello there" }];

describe("the end user of a request", () => {
  /** Sends a request, and resolves with the end user of its entry. */
  async function recorded(path: string, body: object, { key }: TestAccount = account) {
    const response = await send(`${stack.url}${path}`, { key, body });
    expect(response.status).toBe(200);
    return eventually(async () => {
      const entry = await entryOf(stack, account, requestIdOf(response));
      expect(entry).toBeDefined();
      return entry?.endUser;
    });
  }

  test("is one id on every wire, is hashed, and is empty where the request names none", async () => {
    const model = "test-small";
    const user = "ada@acme.com";
    const ids = [
      await recorded("/v1/chat/completions", chatBody({ user })),
      await recorded("/v1/chat/completions", chatBody({ user, stream: true })),
      await recorded("/v1/messages", {
        ...{ model, messages, max_tokens: 50 },
        metadata: { user_id: user },
      }),
      await recorded("/v1/responses", { model, input: "Hello there", user: user }),
      await recorded("/v1/responses", {
        ...{ model, input: "Hello there", user: "somebody" },
        safety_identifier: user,
      }),
    ];
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(await recorded("/v1/chat/completions", chatBody({ user: "bob" }))).not.toBe(ids[0]);
    expect(await recorded("/v1/chat/completions", chatBody())).toBe("");
  });
});
