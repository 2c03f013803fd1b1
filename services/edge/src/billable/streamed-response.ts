import type { Rates } from "@tollgate/core/rates";
import { headersOfRates } from "@tollgate/http/rate-headers";
import { eventStreamType, type StreamedResponse } from "../http/response.ts";
import type { AdvertisedRates } from "./advertised-rates.ts";

/** Server-sent events that a service sends together. */
export interface EventPart {
  chunks: readonly Uint8Array[];
  /** Of the part with the usage: the tokens of all. */
  totalTokens: bigint;
  /** Of the first part: the rates that limit the key. */
  rates?: Rates | undefined;
}

export interface EventStreamOptions {
  keyId: string;
  /** Counts the tokens of the key. */
  advertised: Pick<AdvertisedRates, "countTokens">;
  /** Called with everything that the client is sent. */
  see?: (chunk: Uint8Array) => void;
}

/** Returns the response that sends the events of a service, with the rates that limit the key. */
export function eventStreamOf(
  parts: AsyncIterable<EventPart>,
  { keyId, advertised, see }: EventStreamOptions,
): StreamedResponse {
  let limiting: Rates | undefined;
  async function* sendParts(): AsyncGenerator<Uint8Array> {
    for await (const part of parts) {
      limiting ??= part.rates;
      advertised.countTokens(keyId, Number(part.totalTokens));
      // A copy: in a fleet, the chunks are parts of a larger buffer, which would stay in memory.
      const chunk = Buffer.concat(part.chunks);
      see?.(chunk);
      yield chunk;
    }
  }
  const headers = () => headersOfRates(limiting ?? {});
  return { contentType: eventStreamType, chunks: sendParts(), headers };
}
