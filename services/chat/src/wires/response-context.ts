import type { ProviderKind } from "@tollgate/catalog/provider-kind";
import type { ChatUsage } from "@tollgate/providers/chat-usage";
import type { ClientRequest } from "./client-request.ts";

/** What a response is written with, besides what the slot generated. */
export interface ResponseContext {
  readonly alias: string;
  /** Hexadecimal digits, unique for the request. */
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  readonly client: Pick<ClientRequest, "json" | "mayHave" | "mayHaveLonger">;
  /** Characters of the prompt, for usage that is estimated. */
  readonly promptCharacters: bigint;
  /** The conversation that the request continues; empty for none. */
  readonly sessionId: string;
  /** The kind of the slot's provider, which knows the words of its errors. */
  readonly kind: ProviderKind;
  /** Reads the usage block of the slot's provider; undefined for one that cannot be billed from. */
  readUsageBlock(block: unknown): ChatUsage | undefined;
}
