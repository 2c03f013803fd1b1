import { createHash, randomUUID } from "node:crypto";
import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import type { Commands } from "../commands.ts";
import { injectFaults } from "../faults.ts";
import { readRequestBytes } from "../read-body.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { prettyJson, sendJson } from "../send-json.ts";

/**
 * Recognizes a form in one request. The gateway passes the body through unchanged, so the commands
 * are in the query.
 */
export const ocrRoute: SimulatorRoute = {
  method: "POST",
  path: "/v1/ocr",
  handle: (call) =>
    runOcr(call, async (recorded, commands) => {
      await receiveUpload(call, recorded);
      if (await injectFaults(call, recorded, commands)) return;
      recorded.status = 200;
      const value = { status: commands.job_status, text: "simulated text", ...pagesOf(commands) };
      await sendJson(call, recorded, commands, prettyJson(value));
    }),
};

/** Creates an OCR job. Its commands set the id that the response reports. */
export const ocrJobsRoute: SimulatorRoute = {
  method: "POST",
  path: "/v1/ocr/jobs",
  handle: (call) =>
    runOcr(call, async (recorded, commands) => {
      await receiveUpload(call, recorded);
      if (await injectFaults(call, recorded, commands)) return;
      recorded.status = 202;
      const jobId = commands.no_job_id
        ? undefined
        : (commands.job_id ?? commands.job_number ?? randomUUID());
      const value = { job_id: jobId, status: "queued" };
      await sendJson(call, recorded, commands, prettyJson(value), 202);
    }),
};

/** Reports a job's status: `processing` for its first reads, then its final status. */
export const ocrJobRoute: SimulatorRoute = {
  method: "GET",
  path: "/v1/ocr/jobs/*",
  handle: (call) =>
    runOcr(call, async (recorded, commands) => {
      if (await injectFaults(call, recorded, commands)) return;
      recorded.status = 200;
      const jobId = decodeURIComponent(call.path.split("/").at(-1) ?? "");
      const isRunning = call.state.callCounter.increment(`job ${jobId}`) <= (commands.running ?? 1);
      const status = isRunning ? "processing" : (commands.job_status ?? "Completed");
      const value = { job_id: jobId, status, ...(isRunning ? {} : pagesOf(commands)) };
      await sendJson(call, recorded, commands, prettyJson(value));
    }),
};

/** Records the call and reads its commands from the `simulate` query parameter. */
async function runOcr(
  call: SimulatorCall,
  respond: (recorded: RecordedCall, commands: Commands) => Promise<void>,
): Promise<void> {
  const simulate = new URLSearchParams(call.search).get("simulate") ?? undefined;
  const recorded = recordCall(call, { model: "" }, undefined);
  const given = { model: "", simulate };
  await runCommanded(call, recorded, given, (commands) => respond(recorded, commands));
}

async function receiveUpload(call: SimulatorCall, recorded: RecordedCall): Promise<void> {
  const body = (await readRequestBytes(call.request)) ?? Buffer.alloc(0);
  const contentType = call.request.headers["content-type"] ?? "";
  const sha256 = createHash("sha256").update(body).digest("hex");
  recorded.upload = { contentType, bytes: body.length, sha256, lang: undefined };
}

function pagesOf({ pages: count, page_list }: Commands): object {
  if (page_list) return { pages: Array.from({ length: count ?? 0 }, () => ({ text: "a page" })) };
  return count === undefined ? {} : { pages: count };
}
