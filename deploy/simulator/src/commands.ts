import { z } from "zod";

/**
 * What a call tells the simulator to do, by the names of the grammar: a URL query string such as
 * `status=503&delay_ms=200`. A flag is switched on by `flag` or `flag=1`, and off by `flag=0`.
 */
export type Commands = Readonly<z.output<typeof commands>>;

export const NO_COMMANDS: Commands = Object.freeze({});

/**
 * Reads the commands of a call from what follows the `?` of its model id and from its
 * `metadata.simulate`; the latter wins. A problem names the command that is not right.
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

function whole(min: number, max: number) {
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

const usage = z
  .string()
  .regex(/^\d{1,9},\d{1,9}$/, "must be two whole numbers, as in 120,40")
  .transform((value) => {
    const [promptTokens = 0, completionTokens = 0] = value.split(",").map(Number);
    return { promptTokens, completionTokens };
  });

const commands = z
  .strictObject({
    /** Waits this long before the headers, or before whatever fault comes in their place. */
    delay_ms: whole(0, 600_000),
    /** Answers this HTTP status, even a 200, with an error body; a 429 has a `Retry-After`. */
    status: whole(200, 599),
    /** The error's text, for `status`, `fail_first` and `error_event`. */
    message: z.string().max(1_000, "must be at most 1000 characters").optional(),
    /** The first so many calls that carry the same `id` answer `status` (default 503). */
    fail_first: whole(1, 1_000_000),
    /** The name under which `fail_first` counts. */
    id: z
      .string()
      .min(1, "must not be empty")
      .max(200, "must be at most 200 characters")
      .optional(),
    /** Destroys the connection before any byte. */
    refuse: flag(),
    /** Never answers, until the client leaves. */
    hang: flag(),
    /** Destroys the connection after so many chunks; in JSON, after half of the body. */
    cut_after: whole(0, 1_000_000),
    /** Ends the stream cleanly after so many chunks, without a finish and without `[DONE]`. */
    end_after: whole(0, 1_000_000),
    /** After so many chunks, sends an error event and ends the stream. */
    error_event: whole(0, 1_000_000),
    /** Leaves `id`, `object` and `created` out of a chat's answer, or of all its chunks. */
    no_head: flag(),
    /** Adds a `session_id` of the provider's own to a chat's answer, or to all its chunks. */
    own_session: flag(),
    /** A chat's answer without a choice, or a stream of no more than its usage and `[DONE]`. */
    no_choices: flag(),
    /** Leaves usage out everywhere. */
    no_usage: flag(),
    /** Finishes the stream, but without `[DONE]`. */
    no_done: flag(),
    /** Puts the usage so far on every chunk. */
    usage_each: flag(),
    /** `P,C`: reports exactly these prompt and completion tokens. */
    usage: usage.optional(),
    /** `usage` with nothing but `total_tokens`, where a route reports usage. */
    total_only: flag(),
    /** Answers a rerank with its list alone. */
    bare: flag(),
    /** Leaves the list of what was asked for out of embeddings and of a rerank. */
    no_list: flag(),
    /** Reports so many pages, where a route has pages. */
    pages: whole(0, 1_000_000),
    /** Reports its pages as a list of them. */
    page_list: flag(),
    /** An OCR job that is still running for its first so many reads, 1 by default. */
    running: whole(0, 1_000),
    /** How an OCR job ends, `Completed` by default; what OCR at once says of itself. */
    job_status: z.string().max(100, "must be at most 100 characters").optional(),
    /** Names every OCR job so, instead of anew. */
    job_id: z.string().max(1_000, "must be at most 1000 characters").optional(),
    /** The same, by a number. */
    job_number: whole(0, 9_999_999_999),
    /** Makes an OCR job without telling its id. */
    no_job_id: flag(),
    /** Returns so many images, whatever was asked for. */
    images: whole(0, 100),
    /** Speech of so many bytes; by default 100 for each character of the input. */
    bytes: whole(0, 2_000_000_000),
    /** The size of speech's chunks, 16384 by default. */
    chunk_bytes: whole(1, 10_000_000),
    /** Speech's content type; with no value, none is sent. */
    audio_type: z.string().max(100, "must be at most 100 characters").optional(),
    /** The duration that a transcription reports, in seconds. */
    duration: decimal(),
    /** Leaves the duration out, of a transcription or of all finals. */
    no_duration: flag(),
    /** Serves only the languages en, de and fr, and answers others with an edge page's 502. */
    needs_lang: flag(),
    /** A live stream: a final after so much audio, 2000 by default. */
    final_ms: whole(1, 600_000),
    /** Breaks the live connection instead of sending this event, counted from 0. */
    die_after: whole(0, 1_000_000),
    /** Reports a failure instead of sending this event, and closes. */
    fail_after: whole(0, 1_000_000),
    /** Closes cleanly instead of sending this event. */
    close_after: whole(0, 1_000_000),
    /** Stays open, and silent, after the last event of a live stream. */
    no_close: flag(),
    /** Waits this long after the flush before each event that is left. */
    drain_ms: whole(1, 60_000),
    /** Sends no event at all. */
    mute: flag(),
    /** Sends so many partials for each frame of audio. */
    flood: whole(1, 10_000),
    /** Reads nothing from a live connection. */
    stall: flag(),
    /** Adds the provider's own cost: `usage.cost`, `usage.cost_details` and a top-level `cost`. */
    cost: flag(),
    /** Text of exactly so many tokens, unless the request's own limit is lower. */
    tokens: whole(1, 1_000_000),
    /** So many content chunks a choice; without `tokens`, the text has one token a chunk. */
    chunks: whole(1, 1_000_000),
    /** Waits this long before every content chunk. */
    gap_ms: whole(0, 600_000),
    /** Text with emoji and multi-byte characters. */
    unicode: flag(),
    /** Splits every event (or a JSON body) into small writes, this far apart. */
    trickle_ms: whole(1, 60_000),
    /** Ends the stream's lines with `\r\n`. */
    crlf: flag(),
    /** Sends the whole stream in a single socket write. */
    one_write: flag(),
    /** A comment line before every event. */
    comment: flag(),
    /** A `data:` line that is not JSON after the first chunk; a JSON body that is not JSON. */
    garbage: flag(),
  })
  .refine((given) => given.fail_first === undefined || given.id !== undefined, {
    path: ["fail_first"],
    message: "needs an id",
  })
  .refine((given) => !given.one_write || !(given.trickle_ms || given.gap_ms), {
    path: ["one_write"],
    message: "does not go with trickle_ms or gap_ms",
  });

function describe(error: z.ZodError, given: Readonly<Record<string, string>>): string {
  const issue = error.issues[0];
  if (issue?.code === "unrecognized_keys") return `unknown command: ${issue.keys[0]}`;
  const name = String(issue?.path[0]);
  return `bad command ${name}=${given[name] ?? ""}: ${name} ${issue?.message}`;
}
