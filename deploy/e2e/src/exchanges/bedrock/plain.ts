import {
  converseBlock,
  converseEnd,
  converseEvent,
  converseException,
  converseResponse,
  converseStart,
} from "../bedrock-frames.ts";
import type { Exchange } from "../exchange.ts";
import { withTool } from "../requests.ts";

const usage = { input: 10, output: 5 };

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
export const bedrockPlain: readonly Exchange[] = [
  {
    name: "a text",
    sent: { messages: [{ role: "user", content: [{ text: "Hi" }] }] },
    reply: { body: converseResponse([{ text: "Hello." }]) },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a streamed text",
    stream: true,
    reply: {
      frames: [
        converseStart(),
        ...converseBlock(0, undefined, { text: "Hel" }, { text: "lo." }),
        ...converseEnd("end_turn"),
      ],
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
  },
  {
    name: "a streamed call",
    stream: true,
    request: withTool,
    reply: {
      frames: [
        converseStart(),
        ...converseBlock(
          0,
          { toolUse: { toolUseId: "tooluse_a", name: "read_file" } },
          { toolUse: { input: '{"path":' } },
          { toolUse: { input: '"a"}' } },
        ),
        ...converseEnd("tool_use"),
      ],
    },
    expected: { calls: [["read_file", { path: "a" }]] },
    usage,
    cost: 600,
  },
  {
    name: "a delta of an unknown kind is skipped",
    stream: true,
    reply: {
      frames: [
        converseStart(),
        converseEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { newKind: { a: 1 } } }),
        ...converseBlock(1, undefined, { text: "Hello." }),
        ...converseEnd("end_turn"),
      ],
    },
    expected: { text: "Hello." },
    usage,
    cost: 600,
    fails: "the schema of the AI SDK rejects the event",
  },
  {
    name: "an exception as the first frame is the same refusal as by HTTP",
    stream: true,
    reply: { frames: [converseException("validationException", "The model is not ready.")] },
    expected: { status: 400, error: "upstream_rejected" },
    on: { chat: { status: 502 } },
    fails: "the reason is lost",
  },
];
