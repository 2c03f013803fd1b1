import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import type { LoadPlan, PodLoadResult } from "./plan.ts";

const script = fileURLToPath(new URL("client.ts", import.meta.url));
let server: Server;

afterEach(() => server.close());

type Responder = (index: number, res: ServerResponse) => void;

/** Runs the load against a server until it has had `count` requests, or a few more. */
async function load(
  count: number,
  respond: Responder,
  more: Partial<LoadPlan> = {},
  onBody: (body: string) => void = () => {},
): Promise<PodLoadResult> {
  let requests = 0;
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      onBody(Buffer.concat(chunks).toString("latin1"));
      respond(requests, res);
      requests += 1;
      if (requests === count) child.stdin.end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const usual = { clients: { json: 1 }, keepAlive: true, pauseMs: 0 };
  const plan: LoadPlan = { url, key: "key", ...usual, ...more };
  const child = spawn(process.execPath, [script], {
    env: { LOAD_PLAN: JSON.stringify(plan) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  expect(lines[0]).toBe("started");
  return JSON.parse(lines[1] ?? "") as PodLoadResult;
}

const good = '{"usage":{"cost":0.000123}}';
const stream = 'data: {"usage":{"cost":1.000002}}\n\ndata: [DONE]\n\n';

test("a load counts its requests and sums the costs in the responses", async () => {
  const { requests, costMicroUsd, ...rest } = await load(3, (_, res) => res.end(good));
  expect(requests).toBeGreaterThanOrEqual(3);
  expect(costMicroUsd).toBe(123 * requests);
  expect(rest).toMatchObject({ failures: {}, lastFailureMs: 0, uncertainMicroUsd: 0 });
});

test.each<[string, Responder, string]>([
  ["another status", (_, res) => res.writeHead(503).end("busy"), "json: 503 busy"],
  ["a response without a cost", (_, res) => res.end("{}"), "json: no cost in {}"],
  ["a closed connection", (_, res) => res.destroy(), "json: ECONNRESET"],
])("a load counts %s as a failure", async (_, fail, failure) => {
  const result = await load(3, (index, res) => (index === 1 ? fail(index, res) : res.end(good)));
  expect(result).toMatchObject({ failures: { [failure]: 1 }, uncertainMicroUsd: 123 });
  expect(result.costMicroUsd).toBe(123 * (result.requests - 1));
  expect(result.lastFailureMs).toBeGreaterThan(0);
});

test("a stream that ends early is a failure, whether or not its connection is cut", async () => {
  const more = { clients: { stream: 1 } };
  const result = await load(
    3,
    (index, res) => {
      if (index === 1) res.end(stream.slice(0, -9));
      else if (index === 2) {
        res.setHeader("x-request-id", "req_1");
        res.write("data", () => res.destroy());
      } else res.end(stream);
    },
    more,
  );
  expect(result).toMatchObject({
    failures: {
      "stream: cut": 1,
      "stream: 200 req_1 was cut off after 4 bytes: aborted": 1,
    },
    uncertainMicroUsd: 2_000_004,
  });
  expect(result.costMicroUsd).toBe(1_000_002 * (result.requests - 2));
});

test("an upload is a form with a WAV file, and an image has its cost in the response", async () => {
  const bodies: string[] = [];
  const respond: Responder = (_, res) => {
    const { url } = res.req;
    res.end(url === "/v1/audio/transcriptions" ? '{"text":"Hello"}' : good);
  };
  const more = { clients: { upload: 1, images: 1 }, pauseMs: 20 };
  const result = await load(6, respond, more, (body) => bodies.push(body));
  expect(result.failures).toEqual({});
  const uploads = bodies.filter((body) => body.includes("RIFF"));
  expect(uploads.length).toBeGreaterThan(0);
  for (const body of uploads) expect(body).toMatch(/name="model"\r\n\r\ntest-transcribe\r\n/);
  const images = bodies.length - uploads.length;
  expect(result.costMicroUsd).toBe(uploads.length * 100 + images * 123);
});
