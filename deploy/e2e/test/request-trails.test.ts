import { describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { ocrClient } from "../src/ocr-client.ts";
import { imageFile, modelField, rawOcrForm } from "../src/ocr-form.ts";
import { chatBody, requestIdOf, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { testSecrets } from "../src/stack.ts";
import { runTollgate } from "../src/tollgate-command.ts";

const { stack, account } = await sharedStack();

describe("the record of a request", () => {
  const chat = (more: Record<string, unknown>, key = account.key) =>
    send(`${stack.url}/v1/chat/completions`, { key, body: chatBody(more) });

  /** Resolves with the record of the request of a response, once it is captured. */
  async function recordOf(response: HttpResponse) {
    const id = requestIdOf(response) ?? "";
    return eventually(async () => {
      const { requests, entries } = await stack.operator.getRequest({ id });
      expect(requests).toHaveLength(1);
      return { request: requests[0], entries };
    });
  }

  test("has the slot that failed and the one that served, and what was held and charged", async () => {
    const response = await chat({ model: "test-failover-trail" });
    expect(response.status).toBe(200);
    const { request, entries } = await recordOf(response);
    expect(request).toMatchObject({
      requestId: requestIdOf(response),
      accountId: account.accountId,
      keyId: account.keyId,
      alias: "test-failover-trail",
      provider: "sim",
      upstreamModel: "second",
      isStreamed: false,
      errorCode: "",
      attempts: [
        { upstreamModel: "first-trail?status=503", errorCode: "trouble", status: 503 },
        { upstreamModel: "second", errorCode: "", status: 0 },
      ],
      lines: [{ dimension: "input" }, { dimension: "output" }],
      entryId: entries[0]?.id,
    });
    expect(request?.heldNanoUsd).toBeGreaterThanOrEqual(request?.chargedNanoUsd ?? 0n);
    expect(request?.firstTokenMs).toBeUndefined();
    expect(entries).toMatchObject([{ amountNanoUsd: -(request?.chargedNanoUsd ?? 0n) }]);
  });

  test("is found by the ids of its client, its response and its provider, by operator, customer and command", async () => {
    const own = await stack.newAccount(5);
    const mine = `order-${own.accountId}`;
    const response = await send(`${stack.url}/v1/chat/completions`, {
      key: own.key,
      headers: { "x-client-request-id": mine, "user-agent": "sdk/1.2" },
      body: chatBody({ model: "test-small" }),
    });
    const { request } = await recordOf(response);
    const { id: responseId } = response.body as { id: string };
    expect(request).toMatchObject({
      endpoint: "POST /v1/chat/completions",
      userAgent: "sdk/1.2",
      clientRequestId: mine,
      responseId,
      clientStatus: 200,
      attempts: [
        { providerRequestId: expect.stringMatching(/^sim_/), providerResponseId: responseId },
      ],
    });
    const ids = [mine, responseId, request?.attempts[0]?.providerRequestId ?? ""];
    for (const id of ids) {
      const found = await stack.operator.getRequest({ id, account: own.accountId });
      expect(found.requests.map((one) => one.requestId)).toEqual([requestIdOf(response)]);
      const others = stack.operator.getRequest({ id, account: account.accountId });
      await expect(others).rejects.toThrow("No request has the id");
    }
    const shown = await runTollgate(stack.operatorAddress, testSecrets, [
      "request",
      mine,
      "--json",
    ]);
    expect(shown.json()).toMatchObject({ requests: [{ response_id: responseId }] });
    const messages = await send(`${stack.url}/v1/messages`, {
      key: own.key,
      body: { model: "test-small", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
    });
    const responses = await send(`${stack.url}/v1/responses`, {
      key: own.key,
      body: { model: "test-small", input: "Hi" },
    });
    for (const agents of [messages, responses]) {
      const { id } = agents.body as { id: string };
      expect(id).toMatch(/^(msg|resp)_/);
      const found = await eventually(() => stack.operator.getRequest({ id }));
      expect(found.requests).toMatchObject([{ responseId: id, requestId: requestIdOf(agents) }]);
    }
  });

  test("of a stream has the time of its first token, and of one that is cut the failure", async () => {
    const stream = await chat({ stream: true, model: "test-small" });
    const whole = await recordOf(stream);
    expect(whole.request).toMatchObject({ isStreamed: true, isPartial: false, errorCode: "" });
    expect(whole.request?.firstTokenMs).toBeLessThanOrEqual(whole.request?.durationMs ?? 0);
    const cut = await recordOf(await chat({ stream: true, model: "test-cut" }));
    expect(cut.request).toMatchObject({
      ...{ isStreamed: true, alias: "test-cut", errorCode: "upstream_rejected" },
      ...{ clientStatus: 200, clientMessage: "The provider ended the stream before its finish." },
      attempts: [{ errorCode: "upstream_rejected", reason: expect.stringContaining("connection") }],
    });
    const ended = await recordOf(await chat({ stream: true, ...simulate("end_after=1&chunks=4") }));
    expect(ended.request?.attempts).toMatchObject([
      { errorCode: "upstream_rejected", reason: "the stream ended before its finish" },
    ]);
  });

  test("a refused request has none, and is counted by its error code", async () => {
    const own = await stack.newAccount(1);
    expect((await chat({ model: "no-such-model" }, own.key)).status).toBe(404);
    expect((await chat({ temperature: 9 }, own.key)).status).toBe(400);
    expect((await chat({ temperature: 9 }, own.key)).status).toBe(400);
    const hour = 3_600;
    const from = BigInt(Math.floor(Date.now() / 1_000 / hour) * hour - hour);
    await eventually(async () => {
      const { refusals, requests } = await stack.operator.readOverview({
        account: own.accountId,
        from: { seconds: from, nanos: 0 },
        to: { seconds: from + BigInt(3 * hour), nanos: 0 },
      });
      expect(refusals).toMatchObject([
        { errorCode: "invalid_param", requests: 2n },
        { errorCode: "model_not_found", requests: 1n },
      ]);
      expect(requests).toBe(0n);
    });
  });

  test("that no slot served says why, and one without money has none", async () => {
    // A refusal does not take the slot out for other tests.
    const failed = await chat({ model: "test-small", ...simulate("status=400") });
    const { request } = await recordOf(failed);
    expect(request).toMatchObject({
      errorCode: "upstream_rejected",
      chargedNanoUsd: 0n,
      clientStatus: 502,
      clientMessage: expect.stringContaining("The provider rejected the request."),
      attempts: [
        {
          errorCode: "bad_request",
          status: 400,
          reason: "the provider responded with 400",
          providerMessage: expect.stringMatching(/./),
        },
      ],
    });
    const poor = await stack.newAccount(0);
    const refused = await chat({}, poor.key);
    expect(refused.status).toBe(402);
    const { requests } = await stack.operator.listRequests({ account: poor.accountId });
    expect(requests).toEqual([]);
  });

  test.each([
    ["test-read-at-once", "", 200],
    ["test-read-error", "upstream_rejected", 200],
  ])("of an OCR job %s is found by the ids of its creation, of the job and of the read that ends it", async (alias, errorCode, clientStatus) => {
    const own = await stack.newAccount(5);
    const mine = `scan-${own.accountId}`;
    const { body, contentType } = rawOcrForm([imageFile, modelField(alias)]);
    const created = await send(`${stack.url}/v1/ocr/jobs`, {
      key: own.key,
      headers: { "content-type": contentType, "x-client-request-id": mine },
      body,
    });
    expect(created.status).toBe(202);
    const { job_id: jobId } = created.body as { job_id: string };
    const read = await ocrClient(stack, own).readJob(jobId, alias);
    const { request } = await recordOf(read);
    expect(request).toMatchObject({
      endpoint: "GET /v1/ocr/jobs/{id}",
      responseId: jobId,
      creationRequestId: requestIdOf(created),
      creationClientRequestId: mine,
      provider: "sim",
      ...{ errorCode, clientStatus, clientCode: "" },
      attempts: [{ provider: "sim", errorCode: errorCode && "rejected" }],
    });
    for (const id of [mine, jobId, requestIdOf(created) ?? ""]) {
      const { requests } = await stack.operator.getRequest({ id, account: own.accountId });
      expect(requests.map(({ requestId }) => requestId)).toEqual([requestIdOf(read)]);
    }
    const args = ["request", requestIdOf(created) ?? ""];
    const shown = await runTollgate(stack.operatorAddress, testSecrets, args);
    expect(shown.stdout).toContain(`created by   ${requestIdOf(created)} ${mine}`);
  });

  test("is on every route, and found by account, model and failure", async () => {
    const own = await stack.newAccount(5);
    const post = (path: string, body: object) =>
      send(`${stack.url}${path}`, { key: own.key, body });
    await post("/v1/embeddings", { model: "test-embed", input: "text" });
    await post("/v1/rerank", { model: "test-rerank", query: "a", documents: ["a"] });
    await post("/v1/images/generations", { model: "test-image", prompt: "a" });
    await post("/v1/audio/speech", { model: "test-speech", input: "Hello", voice: "a" });
    await chat({ model: "test-small", ...simulate("status=400") }, own.key);
    const list = (filter: object) =>
      stack.operator.listRequests({ account: own.accountId, ...filter });
    await eventually(async () => {
      const { requests } = await list({});
      const routes = requests.map(({ routeType }) => routeType).toSorted();
      expect(routes).toEqual(["chat", "embeddings", "images", "rerank", "speech"]);
      expect(requests.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1, 1, 1]);
    });
    expect((await list({ alias: "test-rerank" })).requests).toHaveLength(1);
    expect((await list({ onlyFailed: true })).requests).toMatchObject([{ alias: "test-small" }]);
    const rejected = await list({ errorCode: "upstream_rejected" });
    expect(rejected.requests).toMatchObject([
      { alias: "test-small", errorCode: "upstream_rejected" },
    ]);
    expect((await list({ errorCode: "upstream_timeout" })).requests).toEqual([]);
    const args = ["request", "list", "--account", own.accountId, "--error", "upstream_rejected"];
    const listed = await runTollgate(stack.operatorAddress, testSecrets, [...args, "--json"]);
    expect(listed.json()).toMatchObject({ requests: [{ error_code: "upstream_rejected" }] });
    const hour = 3_600_000;
    const from = new Date(Math.floor(Date.now() / hour) * hour - hour);
    const overview = await stack.operator.readOverview({
      account: own.accountId,
      from: { seconds: BigInt(from.getTime() / 1_000), nanos: 0 },
      to: { seconds: BigInt(from.getTime() / 1_000) + 10_800n, nanos: 0 },
    });
    expect(overview).toMatchObject({
      requests: 5n,
      failedRequests: 1n,
      errors: [{ errorCode: "upstream_rejected", requests: 1n }],
    });
  });
});
