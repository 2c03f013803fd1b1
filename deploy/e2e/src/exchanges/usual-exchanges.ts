import type { Reply } from "@tollgate/simulator/replies";
import type { Exchange, ExchangeCall, ExchangeResult, ExchangeUsage } from "./exchange.ts";
import { thinking, withTool } from "./requests.ts";

/** How a vendor writes what every vendor says. */
export interface VendorForm {
  whole(answer: UsualAnswer): Reply;
  streamed(answer: UsualAnswer): Reply;
  /** Whether it sends the text of reasoning. */
  readonly reasons: boolean;
  /** Whether its usage says how many of the output's tokens are of reasoning. */
  readonly reportsReasoning: boolean;
  /** Whether it reads a cache of prompts. */
  readonly caches: boolean;
  /** Whether a content filter is a way to finish. */
  readonly filters: boolean;
  readonly refusals: VendorRefusals;
  /** What its refusals are on wires that it speaks itself. */
  readonly native?: Exchange["on"];
}

/** The tokens of an answer. */
export interface AnswerCounts {
  /** With those of the cache. */
  readonly prompt: number;
  readonly cached: number;
  /** With those of reasoning. */
  readonly output: number;
  readonly reasoning: number;
}

/** The words of a vendor. */
export interface VendorRefusals {
  /** A request that is wrong. */
  readonly invalid: Reply;
  /** A prompt that is too long; undefined for a vendor that shortens it. */
  readonly tooLong?: Reply;
  /** Too many requests, with seven seconds to wait where the vendor says so. */
  readonly rate: Reply;
  /** Default: 7. */
  readonly retryAfter?: string;
}

/** What a model answers, before a vendor writes it. */
export interface UsualAnswer {
  readonly reasoning: readonly string[];
  readonly text: readonly string[];
  /** The arguments of the calls of `read_file`. */
  readonly calls: readonly string[];
  readonly finish: AnswerFinish;
  readonly counts: AnswerCounts;
}

/** How an answer ends. */
export type AnswerFinish = NonNullable<ExchangeResult["finish"]>;

const counts: AnswerCounts = { prompt: 10, cached: 0, output: 5, reasoning: 0 };
const silence: UsualAnswer = { reasoning: [], text: [], calls: [], finish: "stop", counts };

/** Returns the exchanges that every vendor has, in a vendor's form. */
export function usualExchanges(form: VendorForm): Exchange[] {
  const answers: Readonly<Record<string, Partial<UsualAnswer>>> = {
    "a text": { text: ["Hel", "lo."] },
    "a call": { calls: ['{"path":"a"}'], finish: "tool_calls" },
    "two calls at once": { calls: ['{"path":"a"}', '{"path":"b"}'], finish: "tool_calls" },
    "a text before a call": {
      text: ["I will ", "read it."],
      calls: ['{"path":"ä ☃ \\"x\\""}'],
      finish: "tool_calls",
    },
    "a text that the limit cuts": { text: ["Hel"], finish: "length" },
    "nothing but a limit that is reached": { finish: "length" },
    ...(form.caches
      ? { "a prompt that was cached": { text: ["Hello."], counts: { ...counts, cached: 4 } } }
      : {}),
    ...(form.filters ? { "a content filter": { text: ["Hel"], finish: "content_filter" } } : {}),
    ...(form.reasons ? reasoningAnswers : {}),
  };
  const rows = Object.entries(answers).flatMap(([name, answer]) =>
    bothWays(form, name, { ...silence, ...answer }),
  );
  return [...rows, ...refusalExchanges(form)];
}

const reasoning = { reasoning: ["Let me ", "think."], counts: { ...counts, reasoning: 3 } };

const reasoningAnswers: Readonly<Record<string, Partial<UsualAnswer>>> = {
  reasoning: { ...reasoning, text: ["Hello."] },
  "reasoning that the limit cuts": { ...reasoning, finish: "length" },
  "reasoning before a call": { ...reasoning, calls: ['{"path":"a"}'], finish: "tool_calls" },
};

function refusalExchanges({ refusals, native = {} }: VendorForm): Exchange[] {
  const { invalid, tooLong, rate, retryAfter = "7" } = refusals;
  return [true, false].flatMap((stream): Exchange[] => {
    const named = (name: string) => ({ name: stream ? `${name}, of a stream` : name, stream });
    return [
      {
        ...named("a refusal"),
        reply: invalid,
        expected: { status: 502, error: "upstream_rejected" },
        on: native,
      },
      ...(tooLong === undefined
        ? []
        : [
            {
              ...named("a prompt that is too long"),
              reply: tooLong,
              expected: { status: 400, error: "context_length_exceeded" },
            },
          ]),
      {
        ...named("a rate limit"),
        reply: rate,
        expected: { status: 503, error: "no_provider_available", retryAfter },
      },
    ];
  });
}

/** Returns the exchange as JSON and as a stream. */
function bothWays(form: VendorForm, name: string, answer: UsualAnswer): Exchange[] {
  const { cached, output, prompt, reasoning } = answer.counts;
  const usage: ExchangeUsage = {
    input: prompt - cached,
    cached,
    output,
    ...(form.reportsReasoning ? { reasoning } : {}),
  };
  const request = answer.calls.length > 0 ? withTool : answer.reasoning.length > 0 && thinking;
  const row = {
    ...(request ? { request } : {}),
    expected: resultOf(answer),
    usage,
    cost: 600 - 9 * cached,
  };
  return [
    { ...row, name, reply: form.whole(answer) },
    { ...row, name: `${name}, streamed`, stream: true, reply: form.streamed(answer) },
  ];
}

function resultOf({ text, reasoning, calls, finish }: UsualAnswer): ExchangeResult {
  return {
    text: text.join(""),
    reasoning: reasoning.join(""),
    calls: calls.map((one): ExchangeCall => ["read_file", JSON.parse(one)]),
    finish,
  };
}

/** Returns the arguments of a call in two parts. */
export function partsOf(text: string): string[] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
