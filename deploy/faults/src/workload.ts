import { nanoUsd } from "@tollgate/e2e/nano-usd";
import type { SeededRandom } from "@tollgate/e2e/random";
import type { Customer } from "./customers.ts";
import type { Observation } from "./observation.ts";
import {
  type RequestOptions,
  type RequestResult,
  retryUntilFinal,
  sendRequest,
} from "./send-request.ts";
import type { EncodedForm } from "./uploads.ts";

/** What a workload needs to build its requests. */
export interface WorkloadContext {
  /** Returns the URL of an edge; each attempt may use another one. */
  edge(): string;
  customer: Customer;
  random: SeededRandom;
  /** Returns a UUID that the seed determines. */
  uuid(): string;
  /** Only models whose provider works are requested, and the client never disconnects. */
  isFaultFree: boolean;
}

/** Sends one request, or several that belong together. */
export type FaultWorkload = (context: WorkloadContext) => Promise<Observation[]>;

/** How long requests with an idempotency key are retried. */
export const retryDeadlineMs = 120_000;

/** Returns the observation of a result. `more` overrides its fields. */
export function observe(
  { customer }: WorkloadContext,
  workload: string,
  { outcome, status, requestId, reason }: RequestResult,
  more: Partial<Observation> = {},
): Observation {
  return {
    workload,
    customer,
    outcome,
    status,
    requestId,
    reason,
    attempts: 1,
    attemptsWithoutId: requestId === "" ? 1 : 0,
    keyed: false,
    reportsCost: "costNanoUsd" in more,
    ...more,
  };
}

/** Posts JSON. */
export function sendJsonRequest(
  context: WorkloadContext,
  path: string,
  body: object,
  more: Partial<RequestOptions> = {},
): Promise<RequestResult> {
  const options = { key: context.customer.key, body: JSON.stringify(body), ...more };
  return sendRequest(`${context.edge()}${path}`, options);
}

/** Posts a multipart form. */
export function upload(
  context: WorkloadContext,
  path: string,
  { body, contentType }: EncodedForm,
): Promise<RequestResult> {
  const headers = { "content-type": contentType };
  const options = { key: context.customer.key, body, headers };
  return sendRequest(`${context.edge()}${path}`, options);
}

/** Posts JSON with an idempotency key, and retries until the response is final. */
export async function postKeyed(
  context: WorkloadContext,
  workload: string,
  path: string,
  body: object,
  costOf: (result: RequestResult) => bigint | undefined,
): Promise<Observation> {
  const headers = { "idempotency-key": context.uuid() };
  const { result, ...attempts } = await retryUntilFinal(
    () => sendJsonRequest(context, path, body, { headers }),
    retryDeadlineMs,
  );
  const more = { costNanoUsd: costOf(result), ...attempts, keyed: true };
  return observe(context, workload, result, more);
}

/** Parses the JSON of a complete response; returns an empty object otherwise. */
export function jsonIn<T extends object>({ outcome, text }: RequestResult): Partial<T> {
  return outcome === "complete" ? (JSON.parse(text) as T) : {};
}

/** Returns the cost that a JSON response reports. */
export function costIn(result: RequestResult): bigint | undefined {
  const { usage } = jsonIn<{ usage: { cost: number } }>(result);
  return usage && nanoUsd(usage.cost);
}
