import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../simulator.ts";

describe("the Responses route, on command", () => {
  let simulator: Simulator;

  beforeAll(async () => {
    simulator = await startSimulator({ port: 0 });
  });

  afterAll(() => simulator.close());

  function post(simulate: string, stream: boolean, signal?: AbortSignal) {
    return fetch(`${simulator.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: "Bearer key" },
      body: JSON.stringify({ model: "m", input: "Hello", stream, metadata: { simulate } }),
      ...(signal && { signal }),
    });
  }

  /** Returns the text of a stream up to its end or its break. */
  async function read(response: Response): Promise<{ text: string; isBroken: boolean }> {
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const chunk of response.body ?? [])
        text += decoder.decode(chunk, { stream: true });
      return { text, isBroken: false };
    } catch {
      return { text, isBroken: true };
    }
  }

  function deltas(text: string): number {
    return text.match(/^event: response\.output_text\.delta$/gm)?.length ?? 0;
  }

  test.each([
    [500, "server_error"],
    [503, "server_error"],
    [403, "permission_error"],
  ])("fails with %i in OpenAI's form", async (status, type) => {
    const response = await post(`status=${status}&message=No`, true);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: { message: "No", type, param: null, code: "simulated" },
    });
  });

  test("sends the headers of a rate limit with a 429", async () => {
    const { status, headers } = await post("status=429", false);
    expect([status, headers.get("retry-after"), headers.get("retry-after-ms")]).toEqual([
      429,
      "1",
      "1000",
    ]);
    expect(headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("cuts a stream after n deltas, and records the tokens that were sent", async () => {
    const { text, isBroken } = await read(await post("tokens=100&chunks=10&cut_after=4", true));
    expect([deltas(text), isBroken]).toEqual([4, true]);
    expect(simulator.calls.list().at(-1)).toMatchObject({
      outcome: "cut",
      chunksSent: 4,
      charactersSent: 160,
      completionTokens: 40,
    });
  });

  test("cuts JSON in its middle", async () => {
    expect(await read(await post("cut_after=0", false))).toMatchObject({ isBroken: true });
  });

  test.each([
    ["within an event", "truncate_after=3", /\ndata: \{"type":"response.output_text.delta"[^\n]+$/],
    ["without a last event", "end_after=3", /"delta"[^\n]+\n\n$/],
    ["without a last event, after all deltas", "end_after=99", /output_item.done[^\n]+\n\n$/],
  ])("ends a stream cleanly %s", async (_, simulate, end) => {
    const { text, isBroken } = await read(await post(`chunks=10&${simulate}`, true));
    expect(text).toMatch(end);
    expect(isBroken).toBe(false);
    expect(simulator.calls.list().at(-1)?.outcome).toBe("ended_early");
  });

  test("stalls after n deltas until the client disconnects", async () => {
    const controller = new AbortController();
    const response = await post("chunks=10&stall_after=2", true, controller.signal);
    const decoder = new TextDecoder();
    let text = "";
    await expect(async () => {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        if (deltas(text) === 2 && text.endsWith("\n\n")) controller.abort();
      }
    }).rejects.toThrow("aborted");
    expect(simulator.calls.list().at(-1)).toMatchObject({ outcome: "hung", chunksSent: 2 });
  });

  test("sends an error event", async () => {
    const { text } = await read(await post("chunks=10&error_event=1&message=Oops", true));
    expect(text.trim().split("\n\n").at(-1)).toBe(
      'event: error\ndata: {"type":"error","sequence_number":5,"code":"server_error","message":"Oops","param":null}',
    );
  });

  test.each([
    ["after n deltas", "chunks=10&response_failed=2", 2],
    ["after all deltas", "chunks=10&response_failed=99", 10],
  ])("the response of a stream fails %s", async (_, simulate, count) => {
    const { text } = await read(await post(simulate, true));
    expect(deltas(text)).toBe(count);
    const [, name, data = ""] =
      /^event: (.+)\ndata: (.+)$/.exec(text.trim().split("\n\n").at(-1) ?? "") ?? [];
    expect(name).toBe("response.failed");
    expect(JSON.parse(data)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error" }, output: [], usage: null },
    });
  });

  test("a whole response fails with the status 200", async () => {
    const response = await post("response_failed=0&message=Oops", false);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: "Oops" },
    });
  });
});
