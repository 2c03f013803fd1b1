import { createHash, randomUUID } from "node:crypto";
import { type Call, type Route, untilClientLeaves } from "../call.ts";
import { type Commands, readCommands } from "../commands.ts";
import { answerError } from "../error-answer.ts";
import { meetFaults } from "../faults.ts";
import type { JournalEntry } from "../journal.ts";
import { openEntry } from "../json-route.ts";
import { readBody } from "../read-body.ts";
import { sendJson } from "../send-json.ts";

/** A whole form at once. Its body is not touched on its way, so commands come in the query. */
export const ocr: Route = {
  method: "POST",
  path: "/v1/ocr",
  handle: (call) =>
    commanded(call, async (entry, commands) => {
      await receive(call, entry);
      if (await meetFaults(call, entry, commands)) return;
      entry.status = 200;
      const value = { status: commands.job_status, text: "simulated text", ...pages(commands) };
      await sendJson(call, entry, commands, textOf(value));
    }),
};

/** A job: its id says how often it is still running when it is asked for. */
export const ocrJobs: Route = {
  method: "POST",
  path: "/v1/ocr/jobs",
  handle: (call) =>
    commanded(call, async (entry, commands) => {
      await receive(call, entry);
      if (await meetFaults(call, entry, commands)) return;
      entry.status = 202;
      entry.outcome = "completed";
      const jobId = commands.no_job_id
        ? undefined
        : (commands.job_id ?? commands.job_number ?? randomUUID());
      call.response.writeHead(202, { "content-type": "application/json" });
      call.response.end(textOf({ job_id: jobId, status: "queued" }));
    }),
};

/** How a job stands: running so many reads, then its end. */
export const ocrJob: Route = {
  method: "GET",
  path: "/v1/ocr/jobs/*",
  handle: (call) =>
    commanded(call, async (entry, commands) => {
      if (await meetFaults(call, entry, commands)) return;
      entry.status = 200;
      const jobId = decodeURIComponent(call.path.split("/").at(-1) ?? "");
      const isRunning = call.world.firstCalls.count(`job ${jobId}`) <= (commands.running ?? 1);
      const status = isRunning ? "processing" : (commands.job_status ?? "Completed");
      const value = { job_id: jobId, status, ...(isRunning ? {} : pages(commands)) };
      await sendJson(call, entry, commands, textOf(value));
    }),
};

async function commanded(
  call: Call,
  answer: (entry: JournalEntry, commands: Commands) => Promise<void>,
): Promise<void> {
  const query = new URLSearchParams(call.search).get("simulate") ?? undefined;
  const entry = openEntry(call, { model: "" }, undefined);
  const commands = readCommands("", query);
  if ("problem" in commands) {
    answerError(call, { status: 400, message: commands.problem }, entry);
    return;
  }
  await untilClientLeaves(call, entry, () => answer(entry, commands));
}

async function receive(call: Call, entry: JournalEntry): Promise<void> {
  const body = (await readBody(call.request)) ?? Buffer.alloc(0);
  const contentType = call.request.headers["content-type"] ?? "";
  const sha256 = createHash("sha256").update(body).digest("hex");
  entry.upload = { contentType, bytes: body.length, sha256, lang: undefined };
}

function pages({ pages: count, page_list }: Commands): object {
  if (page_list) return { pages: Array.from({ length: count ?? 0 }, () => ({ text: "a page" })) };
  return count === undefined ? {} : { pages: count };
}

function textOf(value: object): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
