import type { HttpResponse } from "./http-response.ts";
import { type OcrPart, rawOcrForm } from "./ocr-form.ts";
import { sha256 } from "./provider-uploads.ts";
import { send } from "./request.ts";
import type { Stack, TestAccount } from "./stack.ts";

/** The response to a form, and what was sent. */
export interface FormResponse extends HttpResponse {
  sent: { type: string; sha256: string };
}

/** Calls the OCR routes; `key` defaults to the account's. */
export interface OcrClient {
  /** Reads documents synchronously. */
  read(parts: readonly OcrPart[], key?: string): Promise<FormResponse>;
  /** Creates a job. */
  createJob(parts: readonly OcrPart[], key?: string): Promise<FormResponse>;
  /** Sends a form to any path. */
  post(path: string, parts: readonly OcrPart[], key?: string): Promise<FormResponse>;
  /** Reads a job's status. */
  readJob(jobId: string, alias: string, key?: string): Promise<HttpResponse>;
}

export function ocrClient(stack: Stack, account: TestAccount): OcrClient {
  async function post(path: string, parts: readonly OcrPart[], key: string = account.key) {
    const { body, contentType: type } = rawOcrForm(parts);
    const response = await send(`${stack.url}${path}`, {
      key,
      body,
      headers: { "content-type": type },
    });
    return { ...response, sent: { type, sha256: sha256(body) } };
  }

  return {
    read: (parts, key) => post("/v1/ocr", parts, key),
    createJob: (parts, key) => post("/v1/ocr/jobs", parts, key),
    post,
    readJob(jobId, alias, key = account.key) {
      return send(`${stack.url}/v1/ocr/jobs/${jobId}?model=${alias}`, { key });
    },
  };
}
