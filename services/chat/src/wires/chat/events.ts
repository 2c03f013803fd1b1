import type { JsonObject } from "@tollgate/core/json";
import type { NanoUsd } from "@tollgate/core/money";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import { MessageBuilder } from "../../conversations/assistant-message.ts";
import type { GeneratedTurn } from "../../conversations/turn.ts";
import { usageBlock } from "../../usage/usage.ts";
import type { Chunk } from "../chunk.ts";
import type { ResponseContext } from "../response-context.ts";
import type { WireEvents } from "../wire.ts";
import { chunkEvent, doneEvent } from "./chunk-event.ts";
import { type ChunkHead, chunkJson } from "./chunk-json.ts";
import { ChunkReader } from "./chunk-reader.ts";
import { identityOf, ownIdentity } from "./response.ts";

/**
 * Writes the chunks of a stream under our alias. All of them get the identity of the first chunk
 * that is sent to the client, and ours in place of what that chunk leaves out. Usage, cost and session
 * are those that the gateway reports.
 */
export class ChatEvents implements WireEvents {
  readonly #reader: ChunkReader;
  readonly #own: ChunkHead;
  #head: ChunkHead | undefined;
  /** In a conversation: the message that it stores. */
  readonly #message: MessageBuilder | undefined;

  constructor(context: ResponseContext) {
    this.#reader = new ChunkReader(context);
    const { id, created } = ownIdentity(context);
    const { alias: model, sessionId } = context;
    const own = { id, object: "chat.completion.chunk", created, model };
    this.#own = sessionId === "" ? own : { ...own, session_id: sessionId };
    if (sessionId !== "") this.#message = new MessageBuilder();
  }

  read(data: string, name?: string): Chunk | undefined {
    return this.#reader.read(data, name);
  }

  readWhole(value: unknown): readonly Chunk[] {
    return this.#reader.readWhole(value);
  }

  complete(indexes: readonly number[]): Chunk {
    return this.#reader.complete(indexes);
  }

  deliver({ data, value, choices }: Chunk): Uint8Array | undefined {
    if (choices.length === 0) return undefined;
    this.#head ??= { ...this.#own, ...identityOf(value, this.#own) };
    this.#message?.add(choices);
    return chunkEvent(chunkJson(data, value, this.#head));
  }

  cut(choices: readonly JsonObject[]): Uint8Array {
    this.#message?.add(choices);
    return this.#write({ choices });
  }

  /** In a conversation, `[DONE]` is not part of it: see `serveStream`. */
  end(usage: ChatUsage, cost: NanoUsd): Uint8Array {
    const event = this.#write({ choices: [], usage: usageBlock(usage, cost) });
    return this.#message === undefined ? Buffer.concat([event, doneEvent]) : event;
  }

  generated(): GeneratedTurn {
    if (this.#message === undefined) throw new Error("only a conversation stores messages");
    const { id, created } = this.#head ?? this.#own;
    return { id, created, ...this.#message.end() };
  }

  #write(members: JsonObject): Buffer {
    return chunkEvent(JSON.stringify({ ...(this.#head ?? this.#own), ...members }));
  }
}
