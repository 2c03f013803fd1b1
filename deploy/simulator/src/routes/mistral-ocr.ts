import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { SimulatorCall, SimulatorRoute } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import type { Commands } from "../commands.ts";
import { mistralErrorBody, sendProviderError } from "../error-response.ts";
import { injectFaults } from "../faults.ts";
import { readJsonBody } from "../json-body.ts";
import type { BatchJob } from "../mistral/batch-jobs.ts";
import {
  mistralBatchRequest,
  mistralOcrRequest,
  type ReceivedDocument,
  receivedDocument,
} from "../mistral/ocr-request.ts";
import { recordCall, runCommanded } from "../recorded-call.ts";
import { prettyJson, sendJson } from "../send-json.ts";

/** https://docs.mistral.ai/api/endpoint/ocr */
const readDocument: SimulatorRoute = {
  method: "POST",
  path: "/mistral/v1/ocr",
  handle: (call) =>
    runJson(call, mistralOcrRequest, async (recorded, commands, request) => {
      const document = receivedDocument(request);
      recorded.upload = document?.upload;
      if (await injectFaults(call, recorded, commands)) return;
      const refusal = refusalOf(document);
      if (refusal !== undefined) {
        return sendProviderError(call, { status: 400, message: refusal }, recorded);
      }
      recorded.status = 200;
      const value = ocrResponse(request.model, document, commands);
      await sendJson(call, recorded, commands, prettyJson(value));
    }),
};

/** https://docs.mistral.ai/api/endpoint/batch: creates a job, which is read by its id. */
const createJob: SimulatorRoute = {
  method: "POST",
  path: "/mistral/v1/batch/jobs",
  handle: (call) =>
    runJson(call, mistralBatchRequest, async (recorded, commands, { model, requests }) => {
      const document = requests[0] && receivedDocument(requests[0].body);
      recorded.upload = document?.upload;
      if (await injectFaults(call, recorded, commands)) return;
      recorded.status = 200;
      const body = ocrResponse(model, document, commands);
      const job = { id: randomUUID(), model, commands, body, reads: 0, file: randomUUID() };
      call.state.batchJobs.add(job);
      const { id, ...nameless } = batchJob(job, "QUEUED");
      const value = commands.no_job_id ? nameless : { id, ...nameless };
      await sendJson(call, recorded, commands, prettyJson(value));
    }),
};

/** A job is `RUNNING` for its first reads, then it has its final status. */
const readJob: SimulatorRoute = {
  method: "GET",
  path: "/mistral/v1/batch/jobs/*",
  handle: (call) =>
    runRead(call, async (recorded) => {
      const job = call.state.batchJobs.find(decodeURIComponent(call.path.split("/").at(-1) ?? ""));
      if (job === undefined) {
        return sendProviderError(call, { status: 404, message: "Job not found" }, recorded);
      }
      job.reads += 1;
      const { running = 1, job_status = "SUCCESS" } = job.commands;
      recorded.status = 200;
      const isInline = new URLSearchParams(call.search).get("inline") === "true";
      const value = batchJob(job, job.reads <= running ? "RUNNING" : job_status, isInline);
      await sendJson(call, recorded, job.commands, prettyJson(value));
    }),
};

/** The results of a job: JSON lines. */
const readFile: SimulatorRoute = {
  method: "GET",
  path: "/mistral/v1/files/*/content",
  handle: (call) =>
    runRead(call, async (recorded) => {
      const job = call.state.batchJobs.findByFile(call.path.split("/").at(-2) ?? "");
      if (job === undefined) {
        return sendProviderError(call, { status: 404, message: "No file matches" }, recorded);
      }
      recorded.status = 200;
      recorded.outcome = "completed";
      call.response.writeHead(200, { "content-type": "application/octet-stream" });
      call.response.end(`${JSON.stringify(outputOf(job))}\n`);
    }),
};

/** The routes of Mistral's API for OCR and its batch jobs. Their commands are behind the model id. */
export const mistralOcrRoutes: readonly SimulatorRoute[] = [
  readDocument,
  createJob,
  readJob,
  readFile,
];

/** Records a call and checks its key and its body as Mistral does, then runs `respond`. */
async function runJson<Schema extends z.ZodType<{ model: string }>>(
  call: SimulatorCall,
  schema: Schema,
  respond: (recorded: RecordedCall, commands: Commands, request: z.output<Schema>) => Promise<void>,
): Promise<void> {
  const { value, recordable } = await readJsonBody(call.request);
  const isJson = call.request.headers["content-type"] === "application/json";
  const parsed = schema.safeParse(isJson ? value : undefined);
  const model = parsed.success ? parsed.data.model : "";
  const recorded = recordCall(call, { model }, recordable);
  if (isUnauthorized(call, recorded)) return;
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const message = `${["body", ...(issue?.path ?? [])].join(".")}: ${issue?.message}`;
    return sendProviderError(call, { status: 422, message }, recorded);
  }
  const request = parsed.data;
  await runCommanded(call, recorded, { model }, (commands) => respond(recorded, commands, request));
}

async function runRead(
  call: SimulatorCall,
  respond: (recorded: RecordedCall) => Promise<void>,
): Promise<void> {
  const recorded = recordCall(call, { model: "" }, undefined);
  if (isUnauthorized(call, recorded)) return;
  await runCommanded(call, recorded, { model: "" }, () => respond(recorded));
}

function isUnauthorized(call: SimulatorCall, recorded: RecordedCall): boolean {
  if (call.request.headers.authorization?.startsWith("Bearer ")) return false;
  sendProviderError(call, { status: 401, message: "Unauthorized" }, recorded);
  return true;
}

function refusalOf(document: ReceivedDocument | undefined): string | undefined {
  if (document === undefined) return "the simulator reads data URLs only";
  const { contents, upload } = document;
  const isPdf = contents.subarray(0, 1_024).includes("%PDF-");
  if (upload.contentType !== "application/pdf" || isPdf) return undefined;
  return "The document could not be read: it is no valid PDF.";
}

function ocrResponse(
  model: string,
  document: ReceivedDocument | undefined,
  commands: Commands,
): object {
  const count = commands.pages ?? pagesOf(document?.contents);
  const pages = Array.from({ length: count }, (_, index) => ({
    index,
    markdown: `# Page ${index}`,
    images: [],
    tables: [],
    hyperlinks: [],
    header: null,
    footer: null,
    dimensions: { dpi: 200, height: 2200, width: 1700 },
  }));
  const usage_info = { pages_processed: count, doc_size_bytes: document?.upload.bytes ?? null };
  const [name] = model.split("?");
  return {
    ...(commands.no_choices ? {} : { pages }),
    model: name,
    document_annotation: null,
    ...(commands.no_usage ? {} : { usage_info }),
  };
}

/** Returns the pages that a PDF declares, or one. */
function pagesOf(contents: Buffer | undefined): number {
  const text = contents?.toString("latin1") ?? "";
  const count = [...text.matchAll(/\/Type\s?\/Page(?![a-z])/gi)].length;
  return text.startsWith("%PDF-") && count > 0 ? count : 1;
}

function batchJob(job: BatchJob, status: string, isInline = false) {
  const { commands, file } = job;
  const isEnded = !["QUEUED", "RUNNING", "CANCELLATION_REQUESTED"].includes(status);
  const isServed = status === "SUCCESS" && (commands.request_status ?? 200) === 200;
  const hasRun = status === "SUCCESS";
  const at = 1_702_256_327;
  return {
    id: job.id,
    object: "batch",
    input_files: [],
    metadata: null,
    endpoint: "/v1/ocr",
    model: job.model.split("?")[0],
    agent_id: null,
    output_file: isServed ? file : null,
    error_file: hasRun && !isServed ? file : null,
    errors: [],
    outputs: hasRun && isInline && !commands.no_list ? [outputOf(job)] : null,
    status,
    created_at: at,
    total_requests: 1,
    completed_requests: hasRun ? 1 : 0,
    succeeded_requests: isServed ? 1 : 0,
    failed_requests: isEnded && !isServed ? 1 : 0,
    started_at: status === "QUEUED" ? null : at + 1,
    completed_at: isEnded ? at + 2 : null,
  };
}

/** Returns the result of a job's request, as a line of its file has it. */
function outputOf({ id, body, commands }: BatchJob): object {
  const { request_status: status = 200, message = "the document cannot be read" } = commands;
  const response = status === 200 ? body : mistralErrorBody({ status, message });
  const line = `batch-${id.slice(0, 8)}-0-${id}`;
  return {
    id: line,
    custom_id: "0",
    response: { status_code: status, body: response },
    error: null,
  };
}
