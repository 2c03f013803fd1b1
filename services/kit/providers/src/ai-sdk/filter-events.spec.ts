import { expect, test } from "vitest";
import { filterEvents } from "./filter-events.ts";
import { EventFilter, type ResponseShape } from "./response-shape.ts";
import { asText, objectWith } from "./shape.ts";

const form: ResponseShape = {
  answer: () => undefined,
  event: objectWith({ a: asText, end: asText }),
  isFinish: ({ end }) => end !== undefined,
  done: { end: "stop" },
};

async function read(stream: string): Promise<string> {
  const filter = new EventFilter(form, () => expect.unreachable());
  const body = (async function* () {
    yield Buffer.from(stream);
  })();
  let kept = "";
  for await (const bytes of filterEvents(body, filter)) kept += bytes.toString("utf8");
  return kept;
}

test.each([
  ["an unknown member", 'data: {"a":"x","b":1}\n\n', 'data: {"a":"x"}\n\n'],
  ["an unknown event", 'event: new\ndata: {"b":1}\n\n', ""],
  ["a heartbeat as data", "data: ping\n\ndata:\n\ndata: []\n\nevent: ping\ndata: {}\n\n", ""],
  [
    "white space",
    'data: \t {"a":"x"}\n\ndata:  [DONE] \n\n',
    'data: {"a":"x"}\n\ndata: {"end":"stop"}\n\n',
  ],
  ["a comment", ": alive\n\n", ""],
  ["the end of the last event", 'data: {"a":"x"}', 'data: {"a":"x"}\n\n'],
  ["what follows the finish", 'data: {"end":"x"}\n\ndata: {"a\n\n', 'data: {"end":"x"}\n\n'],
  ["an error after the finish", 'data: {"end":"x"}\n\ndata: {"error":{}}', 'data: {"end":"x"}\n\n'],
  ["a [DONE] after the finish", 'data: {"end":"x"}\n\ndata: [DONE]\n\n', 'data: {"end":"x"}\n\n'],
  ["a [DONE] of nothing", "data: [DONE]\n\n", ""],
])("%s does not matter", async (_, stream, kept) => {
  expect(await read(stream)).toBe(kept);
});

test("a [DONE] without a finish is one", async () => {
  const stream = 'data: {"a":"x"}\n\ndata: [DONE]\n\n';
  expect(await read(stream)).toBe('data: {"a":"x"}\n\ndata: {"end":"stop"}\n\n');
});

test("an error, and an object that is cut off, are passed on", async () => {
  const error = 'data: {"error":{"message":"No"},"b":1}\n\n';
  expect(await read(error)).toBe(error);
  expect(await read('data: {"a":"x\n\n')).toBe('data: "{\\"a\\":\\"x"\n\n');
});
