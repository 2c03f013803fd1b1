import { describe, expect, test } from "vitest";
import { send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const { stack, account } = await sharedStack({ creditUsd: 5 });

const post = (path: string, body: object) =>
  send(`${stack.url}${path}`, { key: account.key, body });

const text = { type: "text", text: "what is it" };

/** A request with an image by URL in each wire, and the path of the URL. */
const wires = [
  {
    path: "/v1/chat/completions",
    param: "messages[0].content[1].image_url.url",
    bodyOf: (model: string, url: string) => ({
      model,
      messages: [{ role: "user", content: [text, { type: "image_url", image_url: { url } }] }],
    }),
  },
  {
    path: "/v1/messages",
    param: "messages[0].content[1].source.url",
    bodyOf: (model: string, url: string) => ({
      model,
      max_tokens: 16,
      messages: [
        { role: "user", content: [text, { type: "image", source: { type: "url", url } }] },
      ],
    }),
  },
  {
    path: "/v1/responses",
    param: "input[0].content[1].image_url",
    bodyOf: (model: string, url: string) => ({
      model,
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "what is it" },
            { type: "input_image", image_url: url, detail: "auto" },
          ],
        },
      ],
    }),
  },
];

describe.each(wires)("an image by URL on $path", ({ path, param, bodyOf }) => {
  test("is taken from a public host", async () => {
    const response = await post(path, bodyOf("test-vision", "https://images.invalid/a.png"));
    expect([response.status, response.text]).toEqual([200, expect.anything()]);
  });

  test.each([
    "http://169.254.169.254/latest/meta-data/a.png",
    "https://2130706433/a.png",
    "http://billing:9090/a.png",
  ])("is refused from %s, before a provider is called", async (url) => {
    const before = stack.simulator.calls.list().length;
    for (const model of ["test-vision", "test-vision-mixed"]) {
      const response = await post(path, bodyOf(model, url));
      expect([response.status, response.text]).toEqual([400, expect.stringContaining(param)]);
      expect(response.text).toContain("must be a data URL, or a URL whose host is public");
    }
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });

  test("is taken from anywhere by providers with private_urls", async () => {
    const response = await post(path, bodyOf("test-vision-private", "http://10.0.0.7/a.png"));
    expect(response.status).toBe(200);
  });
});

test("a token count refuses it, too", async () => {
  const [, messages] = wires;
  const body = messages?.bodyOf("test-vision", "http://localhost/a.png") ?? {};
  const { max_tokens: _, ...counted } = body as Record<string, unknown>;
  const response = await post("/v1/messages/count_tokens", counted);
  expect(response.text).toContain("whose host is public");
});

test("an image in the result of a tool is refused by its path", async () => {
  const source = { type: "url", url: "http://192.168.1.1/a.png" };
  const response = await post("/v1/messages", {
    model: "test-vision",
    max_tokens: 16,
    messages: [
      { role: "user", content: "look" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "image", source }] }],
      },
    ],
  });
  expect(response.text).toContain("messages[2].content[0].content[0].source.url");
});

const documents = [
  {
    path: "/v1/messages",
    model: "test-allows-claude-urls",
    param: "messages[0].content[0].source.url",
    bodyOf: (url: string) => ({
      max_tokens: 16,
      messages: [{ role: "user", content: [{ type: "document", source: { type: "url", url } }] }],
    }),
  },
  {
    path: "/v1/responses",
    model: "test-allows-openai-urls",
    param: "input[0].content[0].file_url",
    bodyOf: (url: string) => ({
      input: [{ role: "user", content: [{ type: "input_file", file_url: url }] }],
    }),
  },
];

test.each(
  documents,
)("a document by URL on $path, of a model that allows urls, is refused from a private host", async (row) => {
  const before = stack.simulator.calls.list().length;
  const refused = await post(row.path, {
    model: row.model,
    ...row.bodyOf("https://10.1.2.3/a.pdf"),
  });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(row.param)]);
  expect(refused.text).toContain("whose host is public");
  expect(stack.simulator.calls.list()).toHaveLength(before);
  const taken = await post(row.path, {
    model: row.model,
    ...row.bodyOf("https://docs.invalid/a.pdf"),
  });
  expect([taken.status, taken.text]).toEqual([200, expect.anything()]);
});
