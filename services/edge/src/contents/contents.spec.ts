import { gunzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { GatewayError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import type { BillingService } from "@tollgate/proto/tollgate/v1/billing";
import { CallerSchema } from "@tollgate/proto/tollgate/v1/caller";
import type { RequestContent } from "@tollgate/proto/tollgate/v1/content";
import type { Client } from "@tollgate/rpc/implementation";
import { expect, test } from "vitest";
import { RequestBody } from "../http/request-body.ts";
import { eventStreamType, jsonType, type RouteResponse } from "../http/response.ts";
import { maxContentBytes } from "./collected-content.ts";
import { collectedRun } from "./collected-run.ts";
import { createContents } from "./contents.ts";

interface Request {
  response: () => RouteResponse;
  prompt?: string;
  onlyRequest?: boolean;
  accountId?: string;
}

/** Returns the contents, and what billing is sent of them. */
function start({ fails = false } = {}) {
  const sent: RequestContent[] = [];
  const recordContents = async ({ contents }: { contents: RequestContent[] }) => {
    if (fails) throw new Error("billing is away");
    sent.push(...contents);
    return {};
  };
  const billing = { recordContents } as unknown as Client<typeof BillingService>;
  const contents = createContents({ billing, log: createLog("silent"), isTraced: true });
  /** Runs a request, and reads its response to the end. */
  const run = async ({
    response,
    prompt = "{}",
    onlyRequest = false,
    accountId = "a",
  }: Request) => {
    const body = new RequestBody([Buffer.from(prompt)]);
    const ids = { requestId: "req_1", accountId };
    const call = collectedRun(contents, { ids, body, onlyRequest }, async () => response());
    const answer = await call(create(CallerSchema), {});
    if ("body" in answer) return Buffer.from(answer.body).toString();
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.chunks) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  return { sent, contents, run };
}

const json = (text: string): RouteResponse => ({ contentType: jsonType, body: Buffer.from(text) });
const textOf = (bytes?: Uint8Array) => (bytes?.length ? gunzipSync(bytes).toString() : "");

function stream(chunks: readonly string[], failure?: Error): RouteResponse {
  async function* send() {
    for (const chunk of chunks) yield Buffer.from(chunk);
    if (failure !== undefined) throw failure;
  }
  return { contentType: eventStreamType, chunks: send() };
}

test("a prompt and its response are sent to billing, and the response is passed on", async () => {
  const { sent, contents, run } = start();
  expect(await run({ prompt: '{"model":"m"}', response: () => json('{"id":1}') })).toBe('{"id":1}');
  expect(await run({ response: () => stream(["data: 1\n\n", "data: 2\n\n"]) })).toBe(
    "data: 1\n\ndata: 2\n\n",
  );
  expect(sent).toEqual([]);
  await contents.stop();
  expect(sent.map(({ request, response }) => [textOf(request), textOf(response)])).toEqual([
    ['{"model":"m"}', '{"id":1}'],
    ["{}", "data: 1\n\ndata: 2\n\n"],
  ]);
});

test("responses that are no text are not stored", async () => {
  const { sent, contents, run } = start();
  await run({ response: () => json("[0.1,0.2]"), onlyRequest: true });
  await run({ response: () => ({ contentType: "audio/mpeg", body: Buffer.from("ID3") }) });
  await contents.stop();
  expect(sent.map(({ request, response }) => [textOf(request), textOf(response)])).toEqual([
    ["{}", ""],
    ["{}", ""],
  ]);
});

test("a failed request that has a record is stored, and a refused one is not", async () => {
  const { sent, contents, run } = start();
  const failWith = (hasRecord: boolean) => () => {
    const error = new GatewayError("upstream_rejected", "no", { hasRecord });
    throw error;
  };
  await expect(run({ response: failWith(false) })).rejects.toThrow();
  await expect(run({ prompt: '{"n":1}', response: failWith(true) })).rejects.toThrow();
  const broken = new GatewayError("upstream_rejected", "the provider cut it");
  await expect(run({ response: () => stream(["data: 1\n\n"], broken) })).rejects.toThrow(broken);
  await contents.stop();
  expect(sent.map(({ request, response }) => [textOf(request), textOf(response)])).toEqual([
    ['{"n":1}', ""],
    ["{}", "data: 1\n\n"],
  ]);
});

test("what is longer than the bound is cut", async () => {
  const { sent, contents, run } = start();
  const long = `{"content":"${"a b ".repeat(maxContentBytes / 4)}"}`;
  await run({ prompt: long, response: () => json(long) });
  await run({ response: () => stream([long.slice(0, 900_000), long.slice(0, 900_000)]) });
  await contents.stop();
  expect(sent.map(({ isRequestCut, isResponseCut }) => [isRequestCut, isResponseCut])).toEqual([
    [true, true],
    [false, true],
  ]);
  for (const { response } of sent) expect(textOf(response)).toHaveLength(maxContentBytes);
});

test("one account takes at most a quarter of the room, and gets it back", async () => {
  const { sent, contents, run } = start();
  const response = () => json(`{"content":"${"a b ".repeat(250_000)}"}`);
  for (let n = 0; n < 20; n += 1) await run({ response });
  await run({ response, accountId: "other" });
  await contents.stop();
  const count = (account: string, cut: boolean) =>
    sent.filter((one) => one.accountId === account && one.isResponseCut === cut).length;
  expect([count("a", false), count("a", true), count("other", false)]).toEqual([16, 4, 1]);
  sent.length = 0;
  await run({ response });
  await contents.stop();
  expect(sent.map(({ isResponseCut }) => isResponseCut)).toEqual([false]);
});

test("a failure of billing fails no request, and its contents take no room any more", async () => {
  const { contents, run } = start({ fails: true });
  for (let n = 0; n < 3; n += 1) await run({ response: () => json("{}") });
  await expect(contents.stop()).resolves.toBeUndefined();
});
