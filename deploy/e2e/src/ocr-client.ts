import { ocrForm, type Part } from "./ocr-form.ts";
import { sha256 } from "./provider-uploads.ts";
import { type Answer, send } from "./request.ts";
import type { Account, Stack } from "./stack.ts";

/** What came back of a form, and what the form was. */
export interface FormAnswer extends Answer {
  sent: { type: string; sha256: string };
}

/** How a client has documents read; every call may be made with another key than the usual. */
export interface OcrClient {
  /** Has documents read at once. */
  ask(parts: readonly Part[], key?: string): Promise<FormAnswer>;
  /** Makes a job of reading them. */
  create(parts: readonly Part[], key?: string): Promise<FormAnswer>;
  /** Sends a form to either route, or to what looks like one. */
  post(path: string, parts: readonly Part[], key?: string): Promise<FormAnswer>;
  /** Reads how a job is. */
  read(jobId: string, alias: string, key?: string): Promise<Answer>;
}

export function ocrClient(stack: Stack, account: Account): OcrClient {
  async function post(path: string, parts: readonly Part[], key: string = account.key) {
    const { body, contentType: type } = ocrForm(parts);
    const answer = await send(`${stack.url}${path}`, {
      key,
      body,
      headers: { "content-type": type },
    });
    return { ...answer, sent: { type, sha256: sha256(body) } };
  }

  return {
    ask: (parts, key) => post("/v1/ocr", parts, key),
    create: (parts, key) => post("/v1/ocr/jobs", parts, key),
    post,
    read(jobId, alias, key = account.key) {
      return send(`${stack.url}/v1/ocr/jobs/${jobId}?model=${alias}`, { key });
    },
  };
}
