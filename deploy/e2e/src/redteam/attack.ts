import { wav } from "../audio-files.ts";
import { type AudioBehavior, audioBehaviors, type Behavior } from "../catalog/charging.ts";
import { type BilledCall, billedCalls } from "../charging/billed-calls.ts";
import { modelField, pdf, rawOcrForm } from "../ocr-form.ts";
import { randomOf, type SeededRandom } from "../random.ts";
import { audioForm } from "../transcription-client.ts";
import type { Attacker } from "./attacker.ts";
import { compress, forge } from "./forge.ts";

/** How a client ends its side of a request, at the earlier of a byte of the response and a moment. */
export interface Departure {
  by: "closing" | "a reset" | "half-closing" | "falling silent";
  afterBytes: number;
  afterMs: number;
}

/** One request of an attacker. */
export interface Attack {
  number: number;
  attacker: Attacker;
  call: BilledCall;
  /** The model, whose name says how the provider behaves. */
  alias: string;
  /** Whether the provider ends the call otherwise than well. */
  fails: boolean;
  body: Buffer;
  headers: Record<string, string>;
  /** The share of the body that is sent, and the pause between its tenths. */
  sent: number;
  pauseMs: number;
  /** Undefined where the client stays. */
  departure: Departure | undefined;
  /** How often it is sent at once. */
  copies: number;
  keyIndex: number;
  /** Seconds of live audio. */
  seconds: number;
  /** Everything that is particular about it. */
  description: string;
}

const { live, streamedFile, job: jobOfMatrix, ...overHttp } = billedCalls;
/** It is done at once, and the gateway reads it itself 0.7 s later. */
const job: BilledCall = {
  ...jobOfMatrix,
  async write() {
    const { body: bytes, contentType } = rawOcrForm([pdf(3), modelField("test-read-brief")]);
    return { bytes, contentType };
  },
  cost: () => 3n * 1_500_000n,
};
const { chatStream, messagesStream, responsesStream, ...whole } = overHttp;
const streams: readonly BilledCall[] = [chatStream, messagesStream, responsesStream];
/** Those that end with their clients, and not with their providers. */
const cutStreams = [...streams, whole.nativeMessagesStream, whole.nativeResponsesStream];
const wholes: readonly BilledCall[] = Object.values(whole);

/**
 * The simulator reports a fixed usage for the first of these, which can exceed the estimate of the request. For
 * the last one it reasons beyond the maximum that it is sent, which is not billed.
 */
const inestimable: readonly string[] = [
  ...["embeddings", "classification", "transcription", "ocr"],
  "hidden",
];

/** Whether the most that a call costs follows from its request. */
export function isEstimable({ name }: BilledCall): boolean {
  return !inestimable.includes(name);
}
/**
 * JSON calls whose count depends neither on a forged `n` nor on a forged `max_tokens`: the simulator reasons
 * beyond it, and output beyond the maximum of a request is not billed.
 */
const forgeable = Object.values(overHttp).filter(
  ({ name }) => !["ocr", "transcription", "images", "hidden"].includes(name),
);

const failing: readonly Behavior[] = [
  "closes",
  "errs",
  "stalls",
  "closes-stream",
  "errs-in-stream",
];
const behaviorsOfWhole: readonly Behavior[] = [...Array<"soon">(8).fill("soon"), "closes", "errs"];
/**
 * A provider that sends all its tokens at once has generated what the gateway has not received yet when its
 * client leaves: only one that takes its time, as real ones do, has a count to compare with.
 */
const behaviorsOfStream: readonly Behavior[] = [
  "paced",
  "paced",
  "paced",
  "waits-in-stream",
  "closes-stream",
  "errs-in-stream",
];
const behaviorsToTheEnd: readonly Behavior[] = ["soon", "streams", "closes-stream"];

/** Returns attack `number` of a run, by one of the attackers. It does not depend on other attacks. */
export async function randomAttack(
  seed: number,
  number: number,
  attackers: readonly Attacker[],
): Promise<Attack> {
  const random = randomOf(seed, "attack", number);
  const attacker = random.pick(attackers);
  const call = pickCall(random, attacker);
  const departure = departureOf(random, attacker, call);
  const alias = pickAlias(random, attacker, call, departure === undefined);
  const seconds = random.integer(2, 100) / 10;
  const { bytes, contentType } = await writeBody(call, alias, seconds);
  const isJson = contentType === "application/json";
  const forged =
    isJson && attacker.tactic === "forges members" ? forgeBody(random, String(bytes)) : undefined;
  const called = forged === undefined ? alias : modelIn(forged.body);
  const fails = failing.some((behavior) => called.endsWith(`-${behavior}`)) && !call.isAudioStream;
  const copies = attacker.tactic === "repeats at once" ? random.integer(2, 3) : 1;
  const key = copies > 1 && { "idempotency-key": `attack-${seed}-${number}` };
  const isPart = attacker.tactic === "sends a part" && random.percent(70);
  const part = isPart ? random.integer(0, 99) / 100 : 1;
  const attack = {
    ...{ number, attacker, call, alias, fails, departure, copies, seconds },
    body: forged?.bytes ?? bytes,
    headers: { "content-type": contentType, ...key, ...forged?.headers },
    sent: part,
    pauseMs: attacker.tactic === "sends slowly" ? random.integer(1, 20) : 0,
    keyIndex: random.integer(0, 2),
  };
  return { ...attack, description: describeAttack(attack, forged?.names ?? []) };
}

/** Returns the model that a forged body names last. */
function modelIn(json: string): string {
  const { model }: { model?: unknown } = JSON.parse(json);
  return String(model);
}

function forgeBody(random: SeededRandom, json: string) {
  const forged = forge(random, json);
  if (random.percent(20)) return { ...forged, ...compress(random, forged) };
  return { ...forged, bytes: Buffer.from(forged.body) };
}

function pickCall(random: SeededRandom, { tactic, means }: Attacker): BilledCall {
  if (tactic === "creates jobs") return job;
  if (tactic === "streams audio") return random.pick([live, streamedFile]);
  if (tactic === "forges members") return random.pick(forgeable);
  // Streams are what a client can end in the most ways.
  if (random.percent(50)) return random.pick(streams);
  if (random.percent(10)) return random.pick([live, streamedFile, job]);
  // The policy `whole` promises to leave nothing uncollected of what can be estimated.
  return random.pick(means === "whole" ? wholes.filter(isEstimable) : wholes);
}

function pickAlias(
  random: SeededRandom,
  { tactic }: Attacker,
  call: BilledCall,
  stays: boolean,
): string {
  if (call === job) return "test-read-brief";
  if (call.isAudioStream) {
    // A late or pending provider keeps an honest client waiting.
    const behavior: AudioBehavior =
      tactic === "is honest" ? "late" : random.pick(Object.keys(audioBehaviors) as AudioBehavior[]);
    return `charge-hear-${behavior}`;
  }
  if (tactic === "is honest") return `charge-${call.name}-soon`;
  // With an Idempotency-Key, a provider that waits is read on until it times out.
  const ofStream = stays || tactic === "repeats at once" ? behaviorsToTheEnd : behaviorsOfStream;
  const behaviors = cutStreams.includes(call) ? ofStream : behaviorsOfWhole;
  // A provider that stalls keeps its client for a second.
  return `charge-${call.name}-${random.percent(2) ? "stalls" : random.pick(behaviors)}`;
}

async function writeBody(call: BilledCall, alias: string, seconds: number) {
  if (call === live) return { bytes: Buffer.alloc(0), contentType: "" };
  if (call !== streamedFile) return call.write(alias);
  const form = new Response(audioForm(wav(seconds), { model: alias, stream: "true" }));
  const contentType = form.headers.get("content-type") ?? "";
  return { bytes: Buffer.from(await form.arrayBuffer()), contentType };
}

const departures = {
  resets: "a reset",
  "half-closes": "half-closing",
  "falls silent": "falling silent",
} as const;

function departureOf(
  random: SeededRandom,
  { tactic }: Attacker,
  call: BilledCall,
): Departure | undefined {
  if (tactic === "is honest") return undefined;
  // Some wait for the end, so that what is reported is among what each account is charged.
  if (tactic !== "sends a part" && random.percent(15)) return undefined;
  const by =
    tactic in departures
      ? departures[tactic as keyof typeof departures]
      : random.pick(["closing", "closing", "a reset", "half-closing", "falling silent"] as const);
  // As many leave at the first bytes as in the middle.
  const afterBytes = 2 ** random.integer(0, 17);
  const longest =
    call.isAudioStream || cutStreams.includes(call) || tactic === "leaves at a byte" ? 1_000 : 300;
  const afterMs = tactic === "leaves at a byte" ? longest : random.integer(0, longest);
  const isTimed = tactic === "leaves at a moment";
  return { by, afterBytes: isTimed ? Number.MAX_SAFE_INTEGER : afterBytes, afterMs };
}

function describeAttack(attack: Omit<Attack, "description">, forged: readonly string[]): string {
  const { attacker, call, alias, departure, copies, sent, pauseMs, seconds } = attack;
  const parts = [`${attacker.name}: ${call.path} with ${alias}`, ...forged];
  if (call.isAudioStream) parts.push(`${seconds} s of audio`);
  if (sent < 1) parts.push(`sends ${sent} of its body`);
  if (pauseMs > 0) parts.push(`pauses ${pauseMs} ms ten times`);
  if (copies > 1) parts.push(`${copies} times with one key`);
  if (departure === undefined) return [...parts, "stays"].join(", ");
  const { by, afterBytes, afterMs } = departure;
  return [...parts, `leaves by ${by} after ${afterBytes} bytes or ${afterMs} ms`].join(", ");
}
