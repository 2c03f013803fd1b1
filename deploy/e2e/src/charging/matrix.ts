import { type BilledCall, billedCalls } from "./billed-calls.ts";

/**
 * What is charged for a call, by its route, its form and the way it ends. `docs/money.md` says why.
 *
 * A row is a route in one form, served in one way. The columns are `endings`. A law (`matrix.spec.ts`)
 * fails when a billable route, a chat wire in one of its forms, a wire that some kind of provider speaks, or
 * a form in which providers take audio has no row.
 *
 * To add a row:
 *
 * 1. Write what is charged, for example `"delivered"`, for each ending. Give the row its `call`: what is
 *    sent, and what the provider's count costs (`billed-calls.ts`), with its models in `catalog/charging.ts`.
 * 2. See that `endCall` of `endings.ts` ends a call of the row's form in that way. An ending that it has
 *    runs in `npm test` (`test/charging.test.ts`). One that needs its own gateway, or takes seconds, is in
 *    `long/charging.test.ts`, for all rows at once.
 *
 * Both run in both shapes, and compare what the ledger charged with the count of the simulated provider
 * (`expectCharge`). A cell may have a test elsewhere, too, but only these two count: the law fails for a
 * cell that neither of them runs.
 */
export const endings = [
  "the client leaves before the first byte",
  "the client leaves after the first byte",
  "the client leaves in the middle",
  "the client leaves at the last event",
  "the key is revoked",
  "the deadline passes",
  "the gateway drains",
  "the grace period ends",
  "the process is killed",
  "the provider closes",
  "the provider stalls",
  "the provider errs",
] as const;

export type Ending = (typeof endings)[number];

/** The endings that `long/charging.test.ts` has. */
export const longEndings: readonly Ending[] = [
  "the deadline passes",
  "the gateway drains",
  "the grace period ends",
  "the process is killed",
  "the provider stalls",
];

/**
 * What is charged.
 *
 * - `reported`: exactly what the provider counts for the complete response
 * - `delivered`: what the provider counts until the end, within 15 %
 * - `held`: what was held for the call
 * - `nothing`: zero, with an entry of kind `failure`
 * - `unrecorded`: zero, without an entry: no job was created
 * - `never`: the call cannot end in this way
 */
export type CellCharge =
  | "reported"
  | "delivered"
  | "held"
  | "nothing"
  | "unrecorded"
  | { never: string };

/**
 * The form of a response: JSON or audio that is charged as a whole, server-sent events, a WebSocket, or a job that
 * is read later.
 */
export type ResponseForm = "whole" | "speech" | "stream" | "live" | "job";

/**
 * How the slot serves a call: by what most providers of the route take, on the wire of the client (`native`), by
 * a model that hides its reasoning, or by OpenAI's form of transcription.
 */
export type ServedBy = "usual" | "native" | "hidden" | "form";

export interface MatrixRow {
  /** The path in the gateway's table of routes. */
  path: string;
  form: ResponseForm;
  /** Default: `usual`. */
  by?: ServedBy;
  call: BilledCall;
  charges: Readonly<Record<Ending, CellCharge>>;
}

const chargedBefore = { never: "the charge is durable before the first byte is sent" };

/** A process that ends lets its calls run to their ends for a while, also those whose clients left. */
const processEndings = {
  "the gateway drains": "reported",
  "the grace period ends": "nothing",
  "the process is killed": "nothing",
} as const;

/** A response that is not a stream. */
const whole: MatrixRow["charges"] = {
  "the client leaves before the first byte": "reported",
  "the client leaves after the first byte": "reported",
  "the client leaves in the middle": chargedBefore,
  "the client leaves at the last event": chargedBefore,
  "the key is revoked": "reported",
  "the deadline passes": "nothing",
  ...processEndings,
  "the provider closes": "nothing",
  "the provider stalls": "nothing",
  "the provider errs": "nothing",
};

/** Audio is sent as it comes. */
const speech: MatrixRow["charges"] = {
  ...whole,
  "the client leaves in the middle": "reported",
  "the client leaves at the last event": "reported",
  "the deadline passes": "reported",
};

/** An upload has no deadline of the edge's. */
const upload: MatrixRow["charges"] = {
  ...whole,
  "the deadline passes": { never: "the time limit is the provider's, or of transcribeFile: 240 s" },
};

/** A stream of chat: what its client ends is charged as the provider counts it. */
const chatStream: MatrixRow["charges"] = {
  "the client leaves before the first byte": "delivered",
  "the client leaves after the first byte": "delivered",
  "the client leaves in the middle": "delivered",
  "the client leaves at the last event": "delivered",
  "the key is revoked": "delivered",
  "the deadline passes": "delivered",
  ...processEndings,
  "the provider closes": "nothing",
  "the provider stalls": "nothing",
  "the provider errs": "nothing",
};

/**
 * A stream of hidden reasoning is read on without its client. At its deadline, nobody knows what its provider
 * has generated, whether its client waits or has left.
 */
const hiddenStream: MatrixRow["charges"] = {
  ...chatStream,
  "the client leaves before the first byte": "reported",
  "the client leaves after the first byte": "reported",
  "the client leaves in the middle": "reported",
  "the client leaves at the last event": "reported",
  "the key is revoked": "reported",
  "the deadline passes": "held",
};

/** The provider has the whole file, and reports its usage at the end. What it has sent before makes it billed. */
const formStream: MatrixRow["charges"] = {
  ...hiddenStream,
  "the deadline passes": upload["the deadline passes"],
  "the provider closes": "delivered",
  "the provider errs": "delivered",
};

/** Whatever ends streamed audio, the audio that the provider was sent is billed. */
const audioStream: MatrixRow["charges"] = {
  "the client leaves before the first byte": "delivered",
  "the client leaves after the first byte": "delivered",
  "the client leaves in the middle": "delivered",
  "the client leaves at the last event": "delivered",
  "the key is revoked": "delivered",
  "the deadline passes": {
    never: "only live audio has one, of six hours: it ends as a flush does",
  },
  ...processEndings,
  "the provider closes": "delivered",
  "the provider stalls": "delivered",
  "the provider errs": "delivered",
};

const createdBefore = { never: "the job is recorded before the first byte is sent" };

/** The creation of a job ends so. A job that the provider has is charged by the read that finds it done. */
const job: MatrixRow["charges"] = {
  "the client leaves before the first byte": "reported",
  "the client leaves after the first byte": "reported",
  "the client leaves in the middle": createdBefore,
  "the client leaves at the last event": createdBefore,
  "the key is revoked": "reported",
  "the deadline passes": { never: "the time limit is that of createJob: 300 s" },
  "the gateway drains": "reported",
  "the grace period ends": "unrecorded",
  "the process is killed": "unrecorded",
  "the provider closes": "unrecorded",
  "the provider stalls": "unrecorded",
  "the provider errs": "unrecorded",
};

/** The chat wires. Each has a row for a JSON response, and one for a stream. */
export const chatWires = ["/v1/chat/completions", "/v1/messages", "/v1/responses"] as const;

export const matrix: readonly MatrixRow[] = [
  { path: "/v1/chat/completions", form: "whole", call: billedCalls.chat, charges: whole },
  { path: "/v1/messages", form: "whole", call: billedCalls.messages, charges: whole },
  { path: "/v1/responses", form: "whole", call: billedCalls.responses, charges: whole },
  { path: chatWires[0], form: "stream", call: billedCalls.chatStream, charges: chatStream },
  { path: chatWires[1], form: "stream", call: billedCalls.messagesStream, charges: chatStream },
  { path: chatWires[2], form: "stream", call: billedCalls.responsesStream, charges: chatStream },
  ...(
    [
      [chatWires[0], billedCalls.hiddenChat],
      [chatWires[1], billedCalls.hiddenMessages],
      [chatWires[2], billedCalls.hiddenResponses],
    ] as const
  ).map(
    ([path, call]): MatrixRow => ({
      path,
      form: "stream",
      by: "hidden",
      call,
      charges: hiddenStream,
    }),
  ),
  {
    path: chatWires[1],
    form: "whole",
    by: "native",
    call: billedCalls.nativeMessages,
    charges: whole,
  },
  {
    path: chatWires[1],
    form: "stream",
    by: "native",
    call: billedCalls.nativeMessagesStream,
    charges: chatStream,
  },
  {
    path: chatWires[2],
    form: "whole",
    by: "native",
    call: billedCalls.nativeResponses,
    charges: whole,
  },
  {
    path: chatWires[2],
    form: "stream",
    by: "native",
    call: billedCalls.nativeResponsesStream,
    charges: chatStream,
  },
  { path: "/v1/embeddings", form: "whole", call: billedCalls.embeddings, charges: whole },
  { path: "/v1/rerank", form: "whole", call: billedCalls.rerank, charges: whole },
  { path: "/v1/classification", form: "whole", call: billedCalls.classification, charges: whole },
  { path: "/v1/images/generations", form: "whole", call: billedCalls.images, charges: whole },
  { path: "/v1/audio/speech", form: "speech", call: billedCalls.speech, charges: speech },
  {
    path: "/v1/audio/transcriptions",
    form: "whole",
    call: billedCalls.transcription,
    charges: upload,
  },
  {
    path: "/v1/audio/transcriptions",
    form: "stream",
    call: billedCalls.streamedFile,
    charges: audioStream,
  },
  {
    path: "/v1/audio/transcriptions",
    form: "whole",
    by: "form",
    call: billedCalls.formTranscription,
    charges: upload,
  },
  {
    path: "/v1/audio/transcriptions",
    form: "stream",
    by: "form",
    call: billedCalls.formStream,
    charges: formStream,
  },
  {
    path: "/v1/audio/transcriptions/stream",
    form: "live",
    call: billedCalls.live,
    charges: audioStream,
  },
  { path: "/v1/ocr", form: "whole", call: billedCalls.ocr, charges: upload },
  { path: "/v1/ocr/jobs", form: "job", call: billedCalls.job, charges: job },
];

/** A cell that a test runs. */
export interface Cell {
  call: BilledCall;
  form: ResponseForm;
  by?: ServedBy;
  ending: Ending;
  charge: Extract<CellCharge, string>;
}

/** Returns the cells of an ending that tests run: all but those that are impossible. */
export function cellsOf(ending: Ending): Cell[] {
  return matrix.flatMap(({ call, form, by = "usual", charges }) => {
    const charge = charges[ending];
    return typeof charge === "string" ? [{ call, form, by, ending, charge }] : [];
  });
}
