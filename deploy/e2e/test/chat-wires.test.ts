import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { entryOf } from "../src/ledger.ts";
import { requestIdOf, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const messages = [{ role: "user" as const, content: "Hello there" }];

/** A request of each wire beside chat completions, and what shows its form. */
const wires = [
  {
    path: "/v1/messages",
    body: { max_tokens: 50, messages },
    returned: { type: "message", content: [{ type: "text", text: "You said: Hello there" }] },
    lastEvent: "event: message_stop",
    errorForm: { type: "error" },
    rejected: { output_format: {} },
    native: "test-claude",
  },
  {
    path: "/v1/responses",
    body: { input: "Hello there" },
    returned: { object: "response", status: "completed", output: [{ type: "message" }] },
    lastEvent: "event: response.completed",
    errorForm: {},
    rejected: { image: {} },
    native: "test-gpt",
  },
];

const { stack, account } = await sharedStack();

describe.each(wires.map((wire) => [wire.path, wire] as const))("%s", (path, wire) => {
  function post(model: string, more: object = {}, key = account.key) {
    return send(`${stack.url}${path}`, { key, body: { ...wire.body, model, ...more } });
  }

  test.each([
    wire.native,
    "test-small",
  ])("returns a response and a stream of %s, and bills both", async (model) => {
    const whole = await post(model);
    expect([whole.status, whole.body]).toMatchObject([200, wire.returned]);
    const streamed = await post(model, { stream: true });
    expect(streamed.text).toContain(wire.lastEvent);
    for (const response of [whole, streamed]) {
      await eventually(async () => {
        const entry = await entryOf(stack, account, requestIdOf(response));
        expect(entry).toMatchObject({ kind: "usage", routeType: "chat" });
        expect(entry?.amountNanoUsd).toBeLessThan(0n);
      });
    }
  });

  test("refuses in its own form: an alias, a wallet, and what the provider refuses", async () => {
    const poor = await stack.newAccount(0);
    const refusals = [
      [await post("nobody"), 404, "model_not_found"],
      [await post(wire.native, {}, poor.key), 402, "credit_balance_exhausted"],
      [await post(wire.native, wire.rejected), 400, "invalid_param"],
      [await post(wire.native, { ...wire.rejected, stream: true }), 400, "invalid_param"],
    ] as const;
    for (const [{ status, body }, expected, code] of refusals) {
      expect([status, body]).toMatchObject([expected, { ...wire.errorForm, error: { code } }]);
    }
  });
});

test("the tokens of a prompt of Anthropic's API are counted by its provider", async () => {
  const client = new Anthropic({ apiKey: account.key, baseURL: stack.url, maxRetries: 0 });
  const counted = await client.messages.countTokens({ model: "test-claude", messages });
  expect(counted.input_tokens).toBe(3);
});
