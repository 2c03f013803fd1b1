import { createHash } from "node:crypto";
import { type Call, type Route, untilClientLeaves } from "../call.ts";
import { type Commands, readCommands } from "../commands.ts";
import { answerError } from "../error-answer.ts";
import { meetFaults } from "../faults.ts";
import type { JournalEntry } from "../journal.ts";
import { openEntry } from "../json-route.ts";
import { sendJson } from "../send-json.ts";

const HEAD_BYTES = 64;
const LANGUAGES: readonly string[] = ["en", "de", "fr"];
const BYTES_A_SECOND = 2_000;
/** What makes an upload undecodable. */
const GARBAGE = "garbage";

/**
 * A whole file as the raw body. The model, with its commands, and the language are in the query.
 */
export const transcriptions: Route = {
  method: "POST",
  path: "/v1/audio/transcriptions",
  async handle(call) {
    const query = new URLSearchParams(call.search);
    const model = query.get("model") ?? "";
    const entry = openEntry(call, { model }, undefined);
    const commands = readCommands(model, undefined);
    if ("problem" in commands) {
      answerError(call, { status: 400, message: commands.problem }, entry);
      return;
    }
    await untilClientLeaves(call, entry, async () => {
      const head = await receive(call, entry, query.get("lang") ?? undefined);
      if (await meetFaults(call, entry, commands)) return;
      await answer(call, entry, commands, head);
    });
  },
};

/** Counts and digests the body. Answers its first bytes. */
async function receive(call: Call, entry: JournalEntry, lang: string | undefined): Promise<Buffer> {
  const hash = createHash("sha256");
  let head = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of call.request as AsyncIterable<Buffer>) {
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
    hash.update(chunk);
    bytes += chunk.length;
  }
  const contentType = call.request.headers["content-type"] ?? "";
  entry.upload = { contentType, bytes, sha256: hash.digest("hex"), lang };
  return head;
}

async function answer(
  call: Call,
  entry: JournalEntry,
  commands: Commands,
  head: Buffer,
): Promise<void> {
  const { lang, bytes = 0 } = entry.upload ?? {};
  if (commands.needs_lang && !LANGUAGES.includes(lang ?? "")) {
    entry.status = 502;
    entry.outcome = "failed";
    call.response.writeHead(502, { "content-type": "text/plain; charset=utf-8" });
    call.response.end("502 Bad Gateway: language not served\n");
    return;
  }
  if (head.toString("latin1").startsWith(GARBAGE)) {
    answerError(call, { status: 400, message: "the audio cannot be decoded" }, entry);
    return;
  }
  entry.status = 200;
  const duration = commands.duration ?? secondsOf(head, bytes);
  const value = {
    text: "simulated transcript",
    language: lang ?? "en",
    ...(commands.no_duration ? {} : { duration }),
  };
  await sendJson(call, entry, commands, `${JSON.stringify(value, null, 1)}\n`);
}

/** By a plain WAV's header, else by the size. */
function secondsOf(head: Buffer, bytes: number): number {
  const isWav = head.length >= 44 && head.toString("latin1", 0, 4) === "RIFF";
  return isWav ? (bytes - 44) / head.readUInt32LE(28) : bytes / BYTES_A_SECOND;
}
