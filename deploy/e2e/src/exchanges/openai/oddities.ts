import { completion, delta, end } from "../chunks.ts";
import type { Exchange } from "../exchange.ts";
import { sse } from "../sse.ts";

const usage = { input: 10, output: 5 };
const hello = { expected: { text: "Hello." }, usage, cost: 600 };
const stream = sse(delta({ role: "assistant", content: "Hello." }), ...end("stop"));

export const openaiOddities: readonly Exchange[] = [
  {
    name: "the request is sent on",
    sent: { messages: [{ role: "user", content: "Hi" }] },
    reply: { body: completion({ content: "Hello." }) },
    ...hello,
  },
  {
    name: "usage is asked for in a stream",
    stream: true,
    sent: { stream: true, stream_options: { include_usage: true } },
    reply: { body: stream },
    ...hello,
  },
  {
    name: "a refusal of the model, in a member of its own",
    reply: { body: completion({ content: null, refusal: "I cannot help." }) },
    expected: { text: "I cannot help." },
    on: { messages: { finish: "content_filter" } },
    usage,
    cost: 600,
  },
  {
    name: "a streamed refusal of the model, in a member of its own",
    stream: true,
    reply: {
      body: sse(
        delta({ role: "assistant", content: "", refusal: null }),
        delta({ refusal: "I cannot " }),
        delta({ refusal: "help." }),
        ...end("stop"),
      ),
    },
    expected: { text: "I cannot help." },
    on: { messages: { finish: "content_filter" } },
    usage,
    cost: 600,
  },
  {
    name: "a heartbeat as data",
    stream: true,
    reply: { body: stream.replace("\n\n", "\n\nevent: ping\ndata: {}\n\n") },
    ...hello,
  },
  {
    name: "the last event has no empty line behind it",
    stream: true,
    reply: { body: stream.trimEnd() },
    ...hello,
  },
  {
    name: "lines end with a carriage return and a line feed",
    stream: true,
    reply: { body: stream.replaceAll("\n", "\r\n") },
    ...hello,
  },
  {
    name: "data without a space behind the colon",
    stream: true,
    reply: { body: stream.replaceAll("data: ", "data:") },
    ...hello,
  },
  {
    name: "a byte order mark, ids, and times to retry",
    stream: true,
    reply: { body: `\ufeffretry: 10\nid: 1\n${stream}` },
    ...hello,
  },
  {
    name: "the usage chunk's choices are null",
    stream: true,
    reply: { body: stream.replace('"choices":[],', '"choices":null,') },
    ...hello,
  },
  {
    name: "the usage chunk has no choices",
    stream: true,
    reply: { body: stream.replace('"choices":[],', "") },
    ...hello,
  },
  ...(["gzip", "deflate", "br", "zstd"] as const).flatMap((encoding): Exchange[] => [
    {
      name: `a completion in ${encoding}`,
      reply: { encoding, body: completion({ content: "Hello." }) },
      ...hello,
    },
    {
      name: `a stream in ${encoding}`,
      stream: true,
      reply: { encoding, body: stream },
      ...hello,
    },
  ]),
];
