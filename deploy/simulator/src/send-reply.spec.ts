import { afterAll, expect, test } from "vitest";
import { postToSimulator, simulatorChatBody } from "../test/client.ts";
import { startSimulator } from "./simulator.ts";

const simulator = await startSimulator({ port: 0 });
afterAll(() => simulator.close());

const putReply = (id: string, reply: unknown) =>
  fetch(`${simulator.url}/_simulator/replies/${id}`, {
    method: "PUT",
    body: JSON.stringify(reply),
  });

test.each([
  "gzip",
  "deflate",
  "br",
  "zstd",
])("a reply is sent in the encoding %s", async (encoding) => {
  const body = { odd: true };
  const headers = { "x-odd": "1" };
  expect((await putReply("odd", { status: 418, headers, body, encoding })).status).toBe(204);
  const response = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify(simulatorChatBody({}, "reply_id=odd")),
  });
  expect(response.status).toBe(418);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    ...headers,
    "content-type": "application/json",
    "content-encoding": encoding,
  });
  if (encoding !== "zstd") expect(await response.json()).toEqual(body);
  expect(simulator.replies.requestTo("odd")?.body).toMatchObject(simulatorChatBody());
  expect(simulator.calls.list().at(-1)).toMatchObject({ status: 418, outcome: "failed" });
});

test("a text, bytes and frames are sent as they stand", async () => {
  const textOf = async (reply: object) => {
    simulator.replies.set("raw", reply);
    const { url } = simulator;
    const response = await fetch(`${url}/as/anyone/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify(simulatorChatBody({}, "reply_id=raw&trickle_ms=1")),
    });
    return [response.headers.get("content-type"), await response.text()];
  };
  expect(await textOf({ body: "data: é\n\n" })).toEqual([
    "text/event-stream; charset=utf-8",
    "data: é\n\n",
  ]);
  expect(await textOf({ base64: btoa("bytes") })).toEqual(["application/octet-stream", "bytes"]);
  expect(await textOf({ frames: [[{ ":event-type": "odd" }, { a: 1 }]] })).toEqual([
    "application/vnd.amazon.eventstream",
    expect.stringMatching(/:event-type.*odd\{"a":1\}/),
  ]);
});

test("a reply of a wrong form, or one that is not registered, is refused", async () => {
  expect((await putReply("wrong", { status: "418" })).status).toBe(400);
  const response = await postToSimulator(simulator.url, simulatorChatBody({}, "reply_id=wrong"));
  expect(response.status).toBe(400);
});
