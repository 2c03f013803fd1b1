import { toolCall } from "./chunks.ts";
import type { Exchange } from "./exchange.ts";
import { sse } from "./sse.ts";
import {
  type AnswerCounts,
  partsOf,
  type UsualAnswer,
  usualExchanges,
  type VendorRefusals,
} from "./usual-exchanges.ts";

/** How a vendor writes OpenAI's chat completions. */
export interface ChatDialect {
  /** Members of completions and chunks beside OpenAI's. */
  readonly head?: object;
  /** Members of each choice of a completion. */
  readonly choice?: object;
  /** Members of each message of a completion. */
  readonly message?: object;
  /** Members of each choice of a chunk. */
  readonly chunkChoice?: object;
  /** Members of each delta. */
  readonly delta?: object;
  /** The first delta. Default: the role, and an empty text. */
  readonly first?: object;
  /** What comes before the first chunk, as it is sent. */
  readonly before?: string;
  /** What comes between two chunks, as it is sent. */
  readonly between?: string;
  /** The member with the text of reasoning; undefined for a vendor that sends none. */
  readonly reasoning: "reasoning_content" | "reasoning" | undefined;
  /** How a stream sends a call. */
  callDeltas(index: number, id: string, text: string): object[];
  /** The ids of the first and the second call of a message. */
  readonly callIds: readonly [string, string];
  /** Members of each call of a completion. */
  callMembers?(index: number): object;
  usage(counts: AnswerCounts): object;
  /** Whether the usage says how many of the output's tokens are of reasoning. */
  readonly reportsReasoning: boolean;
  /**
   * Where a stream reports usage: in a chunk of its own, in the chunk with the finish reason, or in each
   * chunk.
   */
  readonly usageIn: "own" | "last" | "each";
  /** Members of the choices in the chunk with the usage. Default: it has no choices. */
  readonly usageChoices?: unknown;
  /** Members of the chunk with the usage. */
  usageMembers?(usage: object): object;
  /** Default: `[DONE]`. */
  readonly ending?: string;
  /** The finish reason of a content filter, where the vendor has one. */
  readonly filter?: string;
  /** Default: what OpenAI says. */
  readonly finishes?: Readonly<Record<string, string>>;
  readonly refusals: VendorRefusals;
}

/** Returns the usual exchanges of a vendor of OpenAI's wire. */
export function dialectExchanges(dialect: ChatDialect): Exchange[] {
  const { reasoning, filter, reportsReasoning, refusals } = dialect;
  return usualExchanges({
    whole: (answer) => ({ body: completionOf(dialect, answer) }),
    streamed: (answer) => ({ body: streamOf(dialect, answer) }),
    reasons: reasoning !== undefined,
    filters: filter !== undefined,
    caches: true,
    reportsReasoning,
    refusals,
  });
}

function finishOf({ filter, finishes }: ChatDialect, finish: string): string {
  if (finish === "content_filter") return filter ?? finish;
  return finishes?.[finish] ?? finish;
}

function completionOf(dialect: ChatDialect, answer: UsualAnswer): object {
  const { text, reasoning, calls, finish, counts } = answer;
  const { callIds, callMembers } = dialect;
  const toolCalls = calls.map((one, index) =>
    toolCall(callIds[index] ?? "", one, callMembers?.(index) ?? {}),
  );
  const message = {
    role: "assistant",
    content: text.length === 0 && calls.length > 0 ? null : text.join(""),
    ...(reasoning.length === 0 ? {} : { [`${dialect.reasoning}`]: reasoning.join("") }),
    ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...dialect.message,
  };
  const finish_reason = finishOf(dialect, finish);
  const choice = { index: 0, message, finish_reason, ...dialect.choice };
  const head = { id: "c", object: "chat.completion", created: 1, model: "u" };
  return { ...head, choices: [choice], usage: dialect.usage(counts), ...dialect.head };
}

function streamOf(dialect: ChatDialect, answer: UsualAnswer): string {
  const { before = "", between = "", ending = sse("[DONE]") } = dialect;
  return (
    before +
    chunksOf(dialect, answer)
      .map((chunk) => sse(chunk))
      .join(between) +
    ending
  );
}

function chunksOf(dialect: ChatDialect, answer: UsualAnswer): object[] {
  const { text, reasoning, calls, finish } = answer;
  const { usageIn, usageChoices = [], usageMembers, callIds, chunkChoice } = dialect;
  const usage = dialect.usage(answer.counts);
  const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "u" };
  const chunk = (delta: object, finish_reason: string | null, more: object = {}) => ({
    ...head,
    choices: [{ index: 0, delta: { ...dialect.delta, ...delta }, finish_reason, ...chunkChoice }],
    ...dialect.head,
    ...(usageIn === "each" ? { usage } : {}),
    ...more,
  });
  const reported = { usage, ...usageMembers?.(usage) };
  const deltas = [
    dialect.first ?? { role: "assistant", content: "" },
    ...reasoning.map((part) => ({ [`${dialect.reasoning}`]: part })),
    ...text.map((content) => ({ content })),
    ...calls.flatMap((one, index) => dialect.callDeltas(index, callIds[index] ?? "", one)),
  ];
  return [
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finishOf(dialect, finish), usageIn === "last" ? reported : {}),
    ...(usageIn === "own"
      ? [{ ...head, choices: usageChoices, ...dialect.head, ...reported }]
      : []),
  ];
}

/** Returns the deltas of a call whose first has the id and the name, and the others parts of the arguments. */
export function callInParts(index: number, id: string, text: string): object[] {
  return [
    { tool_calls: [toolCall(id, "", { index })] },
    ...partsOf(text).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
  ];
}

/** Returns the one delta of a call that is sent whole. */
export function callAtOnce(index: number, id: string, text: string): object[] {
  return [{ tool_calls: [toolCall(id, text, { index })] }];
}
