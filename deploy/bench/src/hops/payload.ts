import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  ChatService,
  CompleteRequestSchema,
  StreamRequest,
  StreamRequestSchema,
} from "@tollgate/proto/tollgate/v1/chat";
import type { Implementation } from "@tollgate/rpc/implementation";

/** Messages of a stream. */
export const streamMessages = 50;
/** How long the messages of a paced stream are spread over. */
export const pacedMs = 250;

const messages = [Buffer.alloc(1_000, "m")];
const response = { body: Buffer.alloc(1_000, "r"), totalTokens: 20n };
/** About the size of a chat chunk. */
const chunk = { chunks: [Buffer.alloc(200, "c")] };

/** A unary request of 1 KB; its response has 1 KB, too. */
export const unaryRequest: MessageInitShape<typeof CompleteRequestSchema> = {
  call: { alias: "bench", messages },
};

/** Returns the request of a stream that pauses for `gapMs` before each message. */
export function streamRequest(gapMs: number): MessageInitShape<typeof StreamRequestSchema> {
  return { call: { alias: "bench", body: Buffer.from(String(gapMs)), messages } };
}

export type HopHandlers = Pick<Implementation<typeof ChatService>, "complete" | "stream">;

/** The handlers behind every hop. They do no work of their own. */
export const handlers: HopHandlers = {
  complete: async () => response,
  async *stream({ call }: StreamRequest) {
    const gapMs = Number(Buffer.from(call?.body ?? []).toString());
    for (let sent = 0; sent < streamMessages; sent += 1) {
      if (gapMs > 0) await new Promise((resolve) => setTimeout(resolve, gapMs));
      yield chunk;
    }
  },
};
