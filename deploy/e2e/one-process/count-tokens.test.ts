import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { expectMessagesError } from "../src/messages-client.ts";
import { send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account } = await sharedStack();
const client = new Anthropic({ apiKey: account.key, baseURL: stack.url, maxRetries: 0 });

test("the tokens of a prompt are counted at no cost: by the provider, or by an estimate", async () => {
  const messages = [{ role: "user" as const, content: "Hello there" }];
  const counted = await client.messages.countTokens({ model: "test-claude", messages });
  expect(counted.input_tokens).toBe(3);
  const estimated = await client.messages.countTokens({ model: "test-small", messages });
  expect(estimated.input_tokens).toBe(3);
  const data = Buffer.from("%PDF-1.4\n").toString("base64");
  const source = { type: "base64" as const, media_type: "application/pdf" as const, data };
  const content = [{ type: "document" as const, source }];
  const page = await client.messages.countTokens({
    model: "test-media",
    messages: [{ role: "user", content }],
  });
  expect(page.input_tokens).toBe(2_000);
  const refused = await send(`${stack.url}/v1/messages/count_tokens`, {
    key: account.key,
    body: { model: "test-small" },
  });
  expect(refused.body).toMatchObject({ error: { code: "invalid_param", param: "messages" } });
  const body = { model: "test-claude", messages, max_tokens: 50 };
  const url = `${stack.url}/v1/messages/count_tokens`;
  const unknown = await send(url, { key: account.key, body });
  expectMessagesError(unknown, 400, "unknown_param");
  expect(unknown.body).toMatchObject({ error: { param: "max_tokens" } });
});
