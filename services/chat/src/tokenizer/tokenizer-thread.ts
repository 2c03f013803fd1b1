import { parentPort } from "node:worker_threads";
import { countTokens, setMergeCacheSize } from "gpt-tokenizer/encoding/o200k_base";

/** What the thread is sent: the pieces of several texts. */
export interface CountRequest {
  id: number;
  texts: readonly (readonly string[])[];
}

/** What it sends back: the tokens of each text. */
export interface CountResponse {
  id: number;
  tokens: number[];
}

// Texts of clients would fill a cache with what never comes again.
setMergeCacheSize(1_000);

/** The names of special tokens are text like any other. */
const options = { disallowedSpecial: new Set<string>() };

parentPort?.on("message", ({ id, texts }: CountRequest) => {
  const tokens = texts.map((pieces) =>
    pieces.reduce((sum, piece) => sum + countTokens(piece, options), 0),
  );
  parentPort?.postMessage({ id, tokens } satisfies CountResponse);
});
