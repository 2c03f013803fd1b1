import type { Prices, Slot } from "@tollgate/catalog/model";
import { priceOf, pricesAt } from "@tollgate/catalog/pricing";
import { codePoints } from "@tollgate/core/code-points";
import { isJsonObject, type JsonObject, readCount } from "@tollgate/core/json";
import { maxOf } from "@tollgate/core/money";
import type { Measurement, PricedLine } from "@tollgate/metering/measurement";

/** What OpenAI's models count for a second of audio. */
const usualAudioTokensPerSecond = 10;
/** Fast speech has some four words in a second. */
const maxTextTokensPerSecond = 8;
const charactersPerToken = 4;

/** The tokens of a transcription. */
export interface TranscriptTokens {
  /** Of the prompt, besides the audio. */
  text: bigint;
  audio: bigint;
  output: bigint;
}

/** The tokens that a provider reports. `basis` is `approx4` where those of the output are counted by the text. */
export interface ReportedTokens extends TranscriptTokens {
  basis: "provider" | "approx4";
}

/** Returns the tokens of a second of audio: those of the catalog, else the usual ones. */
export function audioTokenRate({
  audioTokensPerSecond,
}: {
  audioTokensPerSecond?: number | undefined;
}) {
  return audioTokensPerSecond ?? usualAudioTokensPerSecond;
}

/**
 * Reads a usage block with tokens, by the names of OpenAI's transcriptions or of its chat. Undefined where
 * it has none. Tokens of the prompt that are of no kind are those of the audio, which cost more. A block
 * with neither an output nor a total has the output of the `transcribed` text.
 */
export function readTranscriptTokens(
  usage: unknown,
  transcribed: unknown,
): ReportedTokens | undefined {
  if (!isJsonObject(usage)) return undefined;
  const { input_tokens, prompt_tokens, output_tokens, completion_tokens, total_tokens } = usage;
  const counted = readCount(output_tokens) ?? readCount(completion_tokens);
  const sum = readCount(total_tokens);
  const isReported = counted !== undefined || sum !== undefined;
  const output = counted ?? (isReported ? 0n : tokensOfText(transcribed));
  const total = sum ?? 0n;
  const details = detailsOf(usage);
  const ofAudio = readCount(details.audio_tokens);
  const reported = readCount(input_tokens) ?? readCount(prompt_tokens);
  if (reported === undefined && ofAudio === undefined && total <= output) return undefined;
  // Mistral's total has the audio, and the tokens of its prompt are the text alone.
  const input = maxOf(maxOf(reported ?? 0n, total - output), ofAudio ?? 0n);
  const audio = ofAudio ?? maxOf(input - (readCount(details.text_tokens) ?? 0n), 0n);
  return { text: input - audio, audio, output, basis: isReported ? "provider" : "approx4" };
}

function detailsOf(usage: JsonObject): JsonObject {
  const names = ["input_token_details", "input_tokens_details", "prompt_tokens_details"];
  return names.map((name) => usage[name]).find(isJsonObject) ?? {};
}

/** Returns the tokens of a transcript of so many seconds whose provider reports none. */
function tokensOfSeconds(seconds: number, text: unknown, rate: number): TranscriptTokens {
  return { text: 0n, audio: BigInt(Math.ceil(seconds * rate)), output: tokensOfText(text) };
}

function tokensOfText(text: unknown): bigint {
  const characters = typeof text === "string" ? codePoints(text) : 0;
  return BigInt(Math.ceil(characters / charactersPerToken));
}

/** Returns the most tokens that a transcript of so many seconds is expected to have. */
export function mostTokensOfSeconds(seconds: number, prompt: string, rate: number) {
  return {
    text: BigInt(Buffer.byteLength(prompt)),
    audio: BigInt(Math.ceil(seconds * rate)),
    output: BigInt(Math.ceil(seconds * maxTextTokensPerSecond)),
  };
}

/**
 * Prices a transcript by the tokens that its provider reports, else by those of its text and of so many
 * seconds, whose basis is `basis`.
 */
export function measureTranscript(
  { usage, text }: { usage: unknown; text: unknown },
  slot: Pick<Slot, "pricing" | "providerPricing">,
  rate: number,
  { seconds, basis }: { seconds: number; basis: string },
): Measurement {
  const reported = readTranscriptTokens(usage, text);
  const tokens = reported ?? tokensOfSeconds(seconds, text, rate);
  const providerUsage = isJsonObject(usage) ? usage : undefined;
  return measureTokens(tokens, slot, reported?.basis ?? basis, providerUsage);
}

/** Prices the tokens of a transcription. */
export function measureTokens(
  tokens: TranscriptTokens,
  { pricing, providerPricing }: Pick<Slot, "pricing" | "providerPricing">,
  basis: string,
  providerUsage?: JsonObject,
): Measurement {
  const prompt = tokens.text + tokens.audio;
  return {
    quantity: prompt + tokens.output,
    basis,
    lines: linesOf(tokens, pricesAt(pricing, prompt)),
    providerLines: providerPricing && linesOf(tokens, pricesAt(providerPricing, prompt)),
    providerUsage,
    tokens: { prompt, completion: tokens.output, cachedPrompt: 0n },
  };
}

function linesOf({ text, audio, output }: TranscriptTokens, prices: Prices): PricedLine[] {
  const lines = [
    { dimension: "input", quantity: text, price: priceOf(prices, "input") },
    { dimension: "audio_input", quantity: audio, price: priceOf(prices, "audio_input") },
    { dimension: "output", quantity: output, price: priceOf(prices, "output") },
  ];
  return lines.filter(({ quantity }) => quantity > 0n);
}
