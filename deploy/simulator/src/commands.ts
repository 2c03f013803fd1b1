import { z } from "zod";

/**
 * The commands of a call, written as a URL query string such as `status=503&delay_ms=200`. `flag`
 * and `flag=1` set a flag; `flag=0` clears it.
 */
export type Commands = Readonly<z.output<typeof commands>>;

export const NO_COMMANDS: Commands = Object.freeze({});

/**
 * Reads the commands of a call from the text after the `?` of its model id and from its
 * `metadata.simulate`, which takes precedence. Returns a problem that names the invalid command.
 */
export function readCommands(
  model: string,
  simulate: string | undefined,
): Commands | { problem: string } {
  const mark = model.indexOf("?");
  if (mark < 0 && simulate === undefined) return NO_COMMANDS;
  const given = {
    ...Object.fromEntries(new URLSearchParams(mark < 0 ? "" : model.slice(mark + 1))),
    ...Object.fromEntries(new URLSearchParams(simulate ?? "")),
  };
  const parsed = commands.safeParse(given);
  if (parsed.success) return parsed.data;
  return { problem: describe(parsed.error, given) };
}

function integer(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,10}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .optional();
}

function decimal() {
  return z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, "must be a decimal number")
    .transform(Number)
    .optional();
}

function flag() {
  return z
    .enum(["", "1", "0"], "is a flag: give it no value, 1 or 0")
    .transform((value) => value !== "0")
    .optional();
}

function jsonObject() {
  return z
    .string()
    .transform((text): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
    })
    .pipe(z.looseObject({}, "must be a JSON object"))
    .optional();
}

const usage = z
  .string()
  .regex(/^\d{1,9},\d{1,9}$/, "must be two whole numbers, as in 120,40")
  .transform((value) => {
    const [promptTokens = 0, completionTokens = 0] = value.split(",").map(Number);
    return { promptTokens, completionTokens };
  });

const cached = z
  .string()
  .regex(/^\d{1,9},\d{1,9},\d{1,9}$/, "must be three whole numbers, as in 600,150,50")
  .transform((value) => {
    const [read = 0, fiveMinutes = 0, oneHour = 0] = value.split(",").map(Number);
    return { read, fiveMinutes, oneHour };
  });

const commands = z
  .strictObject({
    /** Waits this long before the headers, or before the fault that replaces them. */
    delay_ms: integer(0, 600_000),
    /** Sends this HTTP status, even 200, with an error body; a 429 has a `Retry-After`. */
    status: integer(200, 599),
    /** The error message of `status`, `fail_first`, `pass_first`, `error_event` and `response_failed`. */
    message: z.string().max(1_000, "must be at most 1000 characters").optional(),
    /** Fails the first n calls with the same `id`, with `status` (default 503). */
    fail_first: integer(1, 1_000_000),
    /** Fails all calls with the same `id` after the first n, with `status` (default 503). */
    pass_first: integer(1, 1_000_000),
    /** `status`, `fail_first` and `pass_first` apply only to calls whose key contains this text. */
    key: z
      .string()
      .min(1, "must not be empty")
      .max(200, "must be at most 200 characters")
      .optional(),
    /** The name by which `fail_first` and `pass_first` count calls. */
    id: z
      .string()
      .min(1, "must not be empty")
      .max(200, "must be at most 200 characters")
      .optional(),
    /**
     * Sends the reply that is registered under this id as it stands: see `replies.ts`. Of the other
     * commands, only `trickle_ms` applies to it.
     */
    reply_id: z.string().max(200, "must be at most 200 characters").optional(),
    /** Destroys the connection before the first byte. */
    refuse: flag(),
    /** Sends nothing until the client disconnects. */
    hang: flag(),
    /** Destroys the connection after n chunks; for JSON, after half of the body. */
    cut_after: integer(0, 1_000_000),
    /** Ends the stream cleanly after n chunks, without a finish reason and `[DONE]`. */
    end_after: integer(0, 1_000_000),
    /** On Bedrock's route and Responses: ends the stream cleanly within the event after n chunks. */
    truncate_after: integer(0, 1_000_000),
    /** Sends an error event after n chunks and ends the stream. */
    error_event: integer(0, 1_000_000),
    /** Of streams of chat: sends nothing after n chunks until the client disconnects. */
    stall_after: integer(0, 1_000_000),
    /**
     * On the Responses route: searches the web n times and opens a page, and reports the searches in
     * `tool_usage`, unless with `no_usage`.
     */
    searches: integer(0, 100),
    /** On the Responses route: the response fails, a stream after n chunks (`response.failed`). */
    response_failed: integer(0, 1_000_000),
    /** Omits `id`, `object` and `created` from a completion, or from all chunks. */
    no_head: flag(),
    /** Adds the provider's own `session_id` to a completion, or to all chunks. */
    own_session: flag(),
    /** Sends a completion without choices, or a stream of only its usage and `[DONE]`. */
    no_choices: flag(),
    /** Omits usage everywhere. */
    no_usage: flag(),
    /** Finishes the stream without `[DONE]`. */
    no_done: flag(),
    /** Reports the usage so far on every chunk. */
    usage_each: flag(),
    /** `P,C`: reports P prompt tokens and C completion tokens. */
    usage: usage.optional(),
    /** Reports this usage block, a JSON object, instead of a counted one. */
    usage_block: jsonObject(),
    /** Reports only `total_tokens` in `usage`. */
    total_only: flag(),
    /** Responds to a rerank with the bare list of results. */
    bare: flag(),
    /** Omits the list of results from embeddings, rerank and Mistral's batch jobs. */
    no_list: flag(),
    /** Reports n pages, on routes that report pages. */
    pages: integer(0, 1_000_000),
    /** Reports pages as a list instead of a count. */
    page_list: flag(),
    /** An OCR job is still running for its first n reads (default 1). */
    running: integer(0, 1_000),
    /** The final status of an OCR job (default `Completed`, Mistral's `SUCCESS`), or of a direct OCR. */
    job_status: z.string().max(100, "must be at most 100 characters").optional(),
    /** Gives every OCR job this id instead of a new one. */
    job_id: z.string().max(1_000, "must be at most 1000 characters").optional(),
    /** Gives every OCR job this number as its id. */
    job_number: integer(0, 9_999_999_999),
    /** On Mistral's batch jobs: the status with which the request of the job ends (default 200). */
    request_status: integer(200, 599),
    /** Creates an OCR job without reporting its id. */
    no_job_id: flag(),
    /** On OpenAI's embeddings: every other vector, the first one too, has the encoding not asked for. */
    other_encoding: flag(),
    /** Returns n images, whatever the request says. */
    images: integer(0, 100),
    /** Sends n bytes of speech (default 100 per character of the input). */
    bytes: integer(0, 2_000_000_000),
    /** The chunk size of speech (default 16384). */
    chunk_bytes: integer(1, 10_000_000),
    /** The content type of speech; empty sends none. */
    audio_type: z.string().max(100, "must be at most 100 characters").optional(),
    /** The duration that a transcription reports, in seconds. */
    duration: decimal(),
    /** Omits the duration from a transcription, or from all final events. */
    no_duration: flag(),
    /** Accepts only the languages en, de and fr; others get a plain-text 502. */
    needs_lang: flag(),
    /** Milliseconds of audio per final event of a live stream (default 2000). */
    final_ms: integer(1, 600_000),
    /** Destroys the live connection instead of sending event n, counted from 0. */
    die_after: integer(0, 1_000_000),
    /** Sends an error instead of event n, and closes. */
    fail_after: integer(0, 1_000_000),
    /** Closes cleanly instead of sending event n. */
    close_after: integer(0, 1_000_000),
    /** Closes the live connection cleanly where it is sent no audio for n milliseconds. */
    idle_ms: integer(1, 600_000),
    /**
     * On the live connections of vendors: says at the end of the audio, in place of the last results, that
     * nothing is left to transcribe, and stays open.
     */
    nothing_left: flag(),
    /** Begins a live connection with messages that a client must ignore. */
    others: flag(),
    /** Keeps the live connection open after its last event. */
    no_close: flag(),
    /** Waits this long before each event that is sent after the flush, or until the call is released. */
    drain_ms: integer(1, 60_000),
    /** Sends no events. */
    mute: flag(),
    /** Sends n additional partial events for each audio frame. */
    flood: integer(1, 10_000),
    /** Reads nothing from a live connection. */
    stall: flag(),
    /** Adds the provider's own cost: `usage.cost`, `usage.cost_details` and a top-level `cost`. */
    cost: flag(),
    /** Calls the tool n times at once. */
    calls: integer(1, 16),
    /**
     * `R,S,L` on the Messages route: reports R tokens read from the cache, and S and L written. On
     * Gemini's, R of the prompt are cached. On Responses, R of the input are, and S + L are written.
     */
    cached: cached.optional(),
    /**
     * On the Messages route: refuses to respond, with the stop reason `refusal`. On Gemini's: `SAFETY`.
     * On Responses: a `refusal` instead of a text.
     */
    refusal: flag(),
    /**
     * On Gemini's route: blocks the prompt. On Responses: a content filter stops in mid-text. On OpenAI's
     * chat completions: finishes with `content_filter`.
     */
    blocked: flag(),
    /** On Gemini's route: finishes with `MALFORMED_FUNCTION_CALL`. */
    malformed_call: flag(),
    /** Generates exactly n tokens, unless the request's own limit is lower. */
    tokens: integer(1, 1_000_000),
    /**
     * On OpenAI's chat completions: reports n tokens of reasoning, which come before the content.
     * Without `show_reasoning`, their text is not sent.
     */
    reasoning: integer(1, 1_000_000),
    /** Sends the text of the reasoning. */
    show_reasoning: flag(),
    /** Sends n content chunks per choice; without `tokens`, each chunk is one token. */
    chunks: integer(1, 1_000_000),
    /** Waits this long before every content chunk. */
    gap_ms: integer(0, 600_000),
    /** Generates text with emoji and multi-byte characters. */
    unicode: flag(),
    /** Splits every event (or a JSON body) into small writes with this gap. */
    trickle_ms: integer(1, 60_000),
    /** Ends the lines of a stream with `\r\n`. */
    crlf: flag(),
    /** Sends the complete stream in a single socket write. */
    one_write: flag(),
    /** Sends a comment line before every event. */
    comment: flag(),
    /**
     * Sends an invalid JSON event after the first chunk, or an invalid JSON body. On Bedrock's route: a
     * first event with a wrong checksum.
     */
    garbage: flag(),
  })
  .refine((given) => given.fail_first === undefined || given.id !== undefined, {
    path: ["fail_first"],
    message: "needs an id",
  })
  .refine((given) => given.pass_first === undefined || given.id !== undefined, {
    path: ["pass_first"],
    message: "needs an id",
  })
  .refine((given) => !given.one_write || !(given.trickle_ms || given.gap_ms), {
    path: ["one_write"],
    message: "cannot be combined with trickle_ms or gap_ms",
  });

function describe(error: z.ZodError, given: Readonly<Record<string, string>>): string {
  const issue = error.issues[0];
  if (issue?.code === "unrecognized_keys") return `unknown command: ${issue.keys[0]}`;
  const name = String(issue?.path[0]);
  return `bad command ${name}=${given[name] ?? ""}: ${name} ${issue?.message}`;
}
