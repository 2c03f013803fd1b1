import { create } from "@bufbuild/protobuf";
import { serveJson } from "@tollgate/generation/json-route";
import type { TestedCall } from "@tollgate/generation/slot-test/test-slot";
import { ChatCallSchema, EmbedRequestSchema, WireName } from "@tollgate/proto/tollgate/v1/chat";
import { embeddings } from "./embeddings.ts";
import type { ChatRuntime } from "./prepare.ts";
import { serveStream } from "./serve-stream.ts";

const text = "Hi";
const size = BigInt(text.length);
/** OpenAI's Responses API takes no less. */
const maxTokens = 16n;

/** Makes the smallest request of a chat or embeddings model; see `testSlot`. A chat is a stream. */
export async function callChatSlot(
  { meter, now }: Pick<ChatRuntime, "meter" | "now">,
  { runtime, model, caller, cancellation }: TestedCall,
): Promise<void> {
  const { alias } = model;
  if (model.routeType === "embeddings") {
    const body = Buffer.from(JSON.stringify({ input: text }));
    const sizes = { textBytes: size, textCharacters: size };
    const call = create(EmbedRequestSchema, { caller, alias, body, ...sizes });
    await serveJson(runtime, embeddings, call, cancellation);
    return;
  }
  const call = create(ChatCallSchema, {
    ...{ caller, alias, wire: WireName.CHAT, choices: 1 },
    body: Buffer.from("{}"),
    messages: [Buffer.from(JSON.stringify([{ role: "user", content: text }]))],
    ...{ maxTokens, maxTokensField: "max_tokens" },
    prompt: { textBytes: size, textCharacters: size, messages: 1 },
  });
  const own = { ...runtime, meter, now, sessions: undefined };
  for await (const _ of serveStream(own, call, cancellation)) {
    // Read to its end, which has the usage.
  }
}
