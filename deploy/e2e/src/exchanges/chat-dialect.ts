import { toolCall } from "./chunks.ts";
import type { Exchange, ExchangeCall, ExchangeResult, ExchangeUsage } from "./exchange.ts";
import { thinking, withTool } from "./requests.ts";
import { sse } from "./sse.ts";

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
  usage(counts: DialectCounts): object;
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
  readonly refusals: DialectRefusals;
  /** Why exchanges fail so far, by their names. */
  readonly fails?: Readonly<Record<string, string>>;
}

interface DialectCounts {
  /** With those of the cache. */
  prompt: number;
  cached: number;
  /** With those of reasoning. */
  output: number;
  reasoning: number;
}

interface DialectRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The words of a vendor. */
interface DialectRefusals {
  /** A request that is wrong. */
  readonly invalid: DialectRefusal;
  /** A prompt that is too long; undefined for a vendor that shortens it. */
  readonly tooLong?: DialectRefusal;
  /** Too many requests, with seven seconds to wait where the vendor says so. */
  readonly rate: DialectRefusal;
  readonly retryAfter?: string;
}

/** One whole answer, from which the completion and the stream are written. */
interface DialectAnswer {
  readonly reasoning?: readonly string[];
  readonly text?: readonly string[];
  /** The arguments of the calls. */
  readonly calls?: readonly string[];
  readonly finish: string;
  readonly counts?: Partial<DialectCounts>;
}

/** Returns the exchanges that every vendor of OpenAI's wire has, in the vendor's dialect. */
export function usualExchanges(dialect: ChatDialect): Exchange[] {
  const rows = [
    ...both(dialect, "a text", { text: ["Hel", "lo."], finish: "stop" }),
    ...both(dialect, "a call", { calls: ['{"path":"a"}'], finish: "tool_calls" }),
    ...both(dialect, "two calls at once", {
      calls: ['{"path":"a"}', '{"path":"b"}'],
      finish: "tool_calls",
    }),
    ...both(dialect, "a text before a call", {
      text: ["I will ", "read it."],
      calls: ['{"path":"ä ☃ \\"x\\""}'],
      finish: "tool_calls",
    }),
    ...both(dialect, "a text that the limit cuts", { text: ["Hel"], finish: "length" }),
    ...both(dialect, "nothing but a limit that is reached", { finish: "length" }),
    ...both(dialect, "a prompt that was cached", {
      text: ["Hello."],
      finish: "stop",
      counts: { cached: 4 },
    }),
    ...(dialect.reasoning === undefined ? [] : reasoningExchanges(dialect)),
    ...(dialect.filter === undefined
      ? []
      : both(dialect, "a content filter", { text: ["Hel"], finish: "content_filter" })),
    ...refusalExchanges(dialect),
  ];
  return rows.map((row) => {
    const fails = dialect.fails?.[row.name] ?? failing[row.name];
    return fails === undefined ? row : { ...row, fails };
  });
}

/** Why exchanges of all vendors fail so far, by their names. */
const failing: Readonly<Record<string, string>> = {
  "nothing but a limit that is reached, streamed": "Messages needs visible text",
};

function reasoningExchanges(dialect: ChatDialect): Exchange[] {
  const counts = { reasoning: 3 };
  const reasoning = ["Let me ", "think."];
  const rows = [
    ...both(dialect, "reasoning", { reasoning, text: ["Hello."], finish: "stop", counts }),
    ...both(dialect, "reasoning that the limit cuts", { reasoning, finish: "length", counts }),
  ];
  return [
    ...rows.map((row) => ({ ...row, request: thinking })),
    ...both(dialect, "reasoning before a call", {
      reasoning,
      calls: ['{"path":"a"}'],
      finish: "tool_calls",
      counts,
    }),
  ];
}

function refusalExchanges({ refusals }: ChatDialect): Exchange[] {
  const { invalid, tooLong, rate, retryAfter = "7" } = refusals;
  const wrong = { status: 502, error: "upstream_rejected" };
  return [true, false].flatMap((stream): Exchange[] => {
    const named = (name: string) => (stream ? `${name}, of a stream` : name);
    return [
      {
        name: named("a refusal"),
        stream,
        reply: invalid,
        expected: wrong,
      },
      ...(tooLong === undefined
        ? []
        : [
            {
              name: named("a prompt that is too long"),
              stream,
              reply: tooLong,
              expected: { status: 400, error: "context_length_exceeded" },
            },
          ]),
      {
        name: named("a rate limit"),
        stream,
        reply: rate,
        expected: { status: 503, error: "no_provider_available", retryAfter },
      },
    ];
  });
}

/** Returns the exchange as JSON and as a stream. */
function both(dialect: ChatDialect, name: string, answer: DialectAnswer): Exchange[] {
  const { calls = [], counts = {} } = answer;
  const { cached = 0, reasoning = 0 } = counts;
  const usage: ExchangeUsage = {
    input: 10 - cached,
    cached,
    output: 5,
    ...(dialect.reportsReasoning ? { reasoning } : {}),
  };
  const row = {
    ...(calls.length > 0 ? { request: withTool } : {}),
    expected: resultOf(answer),
    usage,
    cost: 600 - 9 * cached,
  };
  return [
    { ...row, name, reply: { body: completionOf(dialect, answer) } },
    { ...row, name: `${name}, streamed`, stream: true, reply: { body: streamOf(dialect, answer) } },
  ];
}

function resultOf({ text, reasoning, calls, finish }: DialectAnswer): ExchangeResult {
  return {
    ...(text === undefined ? {} : { text: text.join("") }),
    ...(reasoning === undefined ? {} : { reasoning: reasoning.join("") }),
    ...(calls === undefined
      ? {}
      : { calls: calls.map((one): ExchangeCall => ["read_file", JSON.parse(one)]) }),
    finish: finish as "stop",
  };
}

function finishOf({ filter, finishes }: ChatDialect, finish: string): string {
  if (finish === "content_filter") return filter ?? finish;
  return finishes?.[finish] ?? finish;
}

function usageOf({ usage }: ChatDialect, { counts }: DialectAnswer): object {
  return usage({ prompt: 10, cached: 0, output: 5, reasoning: 0, ...counts });
}

function completionOf(dialect: ChatDialect, answer: DialectAnswer): object {
  const { text, reasoning, calls, finish } = answer;
  const { callIds, callMembers } = dialect;
  const message = {
    role: "assistant",
    content: text?.join("") ?? (calls === undefined ? "" : null),
    ...(reasoning === undefined ? {} : { [`${dialect.reasoning}`]: reasoning.join("") }),
    ...(calls === undefined
      ? {}
      : {
          tool_calls: calls.map((one, index) =>
            toolCall(callIds[index] ?? "", one, callMembers?.(index) ?? {}),
          ),
        }),
    ...dialect.message,
  };
  const choice = {
    index: 0,
    message,
    finish_reason: finishOf(dialect, finish),
    ...dialect.choice,
  };
  const head = { id: "c", object: "chat.completion", created: 1, model: "u" };
  return { ...head, choices: [choice], usage: usageOf(dialect, answer), ...dialect.head };
}

function streamOf(dialect: ChatDialect, answer: DialectAnswer): string {
  const { before = "", between = "", ending = sse("[DONE]") } = dialect;
  return (
    before +
    chunksOf(dialect, answer)
      .map((chunk) => sse(chunk))
      .join(between) +
    ending
  );
}

function chunksOf(dialect: ChatDialect, answer: DialectAnswer): object[] {
  const { text = [], reasoning = [], calls = [], finish } = answer;
  const { usageIn, usageChoices = [], usageMembers, callIds, chunkChoice } = dialect;
  const usage = usageOf(dialect, answer);
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

/** Returns the arguments of a call in two parts. */
export function partsOf(text: string): string[] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
