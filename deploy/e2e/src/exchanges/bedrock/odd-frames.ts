import {
  converseBlock,
  converseEnd,
  converseEvent,
  converseException,
  converseStart,
} from "../bedrock-frames.ts";
import type { Exchange } from "../exchange.ts";

const usage = { input: 10, output: 5 };

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
export const bedrockOddFrames: readonly Exchange[] = [
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
  },
  {
    name: "an exception as the first frame is the same refusal as by HTTP",
    stream: true,
    reply: { frames: [converseException("validationException", "The model is not ready.")] },
    expected: { status: 502, error: "upstream_rejected" },
  },
];
