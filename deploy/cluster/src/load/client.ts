import { Agent, type IncomingMessage, request } from "node:http";
import type { LoadPlan, LoadResult } from "./plan.ts";

/**
 * Runs in a pod, without packages. Sends chat requests by the plan in `LOAD_PLAN` until its standard
 * input ends. Prints `started` after the first response, and at the end the result as JSON.
 */
const plan = JSON.parse(process.env.LOAD_PLAN ?? "") as LoadPlan;
const startedAt = performance.now();
const result: LoadResult = {
  requests: 0,
  failures: {},
  lastFailureMs: 0,
  slowestMs: 0,
  costMicroUsd: 0,
};
/** The longest time that a request of this load can take. */
const timeoutMs = 120_000;
let isStopped = false;

process.stdin.on("end", () => {
  isStopped = true;
});
process.stdin.resume();

await Promise.all([
  ...Array.from({ length: plan.jsonClients }, () => sendUntilStopped(false)),
  ...Array.from({ length: plan.streamClients }, () => sendUntilStopped(true)),
]);
process.stdout.write(`${JSON.stringify(result)}\n`);

async function sendUntilStopped(stream: boolean): Promise<void> {
  const agent = new Agent({ keepAlive: plan.keepAlive, maxSockets: 1 });
  while (!isStopped) {
    const sentAt = performance.now();
    const failure = await send(agent, stream).catch(reasonOf);
    result.requests += 1;
    if (result.requests === 1) process.stdout.write("started\n");
    result.slowestMs = Math.max(result.slowestMs, Math.round(performance.now() - sentAt));
    if (failure !== undefined) count(`${stream ? "stream" : "JSON"}: ${failure}`);
    await new Promise((resolve) => setTimeout(resolve, plan.pauseMs));
  }
  agent.destroy();
}

function count(failure: string): void {
  result.failures[failure] = (result.failures[failure] ?? 0) + 1;
  result.lastFailureMs = Math.round(performance.now() - startedAt);
}

/** Sends one request. Returns what is wrong with its response, or undefined. */
async function send(agent: Agent, stream: boolean): Promise<string | undefined> {
  const { status, text } = await post(agent, {
    model: stream ? "test-stream" : "test-chat",
    messages: [{ role: "user", content: "Hello" }],
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  });
  if (status !== 200) return `${status} ${text.slice(0, 200)}`;
  const [, dollars, millionths] = /"cost":(\d+)\.(\d{6})/.exec(text) ?? [];
  if (dollars === undefined) return `no cost in ${text.slice(-200)}`;
  if (stream && !text.trimEnd().endsWith("data: [DONE]")) return "cut";
  result.costMicroUsd += Number(dollars) * 1_000_000 + Number(millionths);
  return undefined;
}

function post(agent: Agent, body: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${plan.url}/v1/chat/completions`,
      {
        method: "POST",
        agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          authorization: `Bearer ${plan.key}`,
          "content-type": "application/json",
          ...(plan.host === undefined ? {} : { host: plan.host }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", (error) => reject(cutOff(error, response, chunks)));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, text });
        });
      },
    );
    sent.on("error", reject).end(JSON.stringify(body));
  });
}

/** Returns the error of a response that ended early. */
function cutOff(error: Error, { statusCode, headers }: IncomingMessage, chunks: Buffer[]): Error {
  const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const id = headers["x-request-id"];
  return new Error(`${statusCode} ${id} was cut off after ${bytes} bytes: ${error.message}`);
}

function reasonOf(error: Error & { code?: string }): string {
  return error.code ?? error.message;
}
