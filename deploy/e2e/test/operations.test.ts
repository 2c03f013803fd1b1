import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { parse } from "yaml";
import { wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { readWalletRow } from "../src/ledger.ts";
import { readMetrics } from "../src/process-metrics.ts";
import { chatBody, send, simulate } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { transcriptionClient } from "../src/transcription-client.ts";

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const { stack, account } = await sharedStack({ creditUsd: 10 });

describe("operations", () => {
  function post(more: Record<string, unknown> = {}, key: string = account.key) {
    return send(`${stack.url}/v1/chat/completions`, { key, body: chatBody(more) });
  }

  async function scrape(): Promise<{ text: string; samples: Sample[] }> {
    const text = (await readMetrics(stack.operationsUrls)).join("\n");
    const samples = [...text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gm)].map((match) => ({
      name: match[1] ?? "",
      labels: Object.fromEntries(
        [...(match[2] ?? "").matchAll(/([a-z_]+)="([^"]*)"/g)].map((pair) => [pair[1], pair[2]]),
      ),
      value: Number(match[3]),
    }));
    return { text, samples };
  }

  async function sum(name: string, labels: Record<string, string> = {}): Promise<number> {
    const { samples } = await scrape();
    const wanted = Object.entries(labels);
    return samples
      .filter(
        (one) => one.name === name && wanted.every(([key, value]) => one.labels[key] === value),
      )
      .reduce((total, { value }) => total + value, 0);
  }

  /** Resolves with the growth of a metric while `work` runs. */
  async function growth(
    name: string,
    labels: Record<string, string>,
    work: () => Promise<unknown>,
  ) {
    const before = await sum(name, labels);
    await work();
    return (await sum(name, labels)) - before;
  }

  test("every process is alive and ready, and serves nothing else", async () => {
    for (const url of stack.operationsUrls) {
      expect(await send(`${url}/livez`)).toMatchObject({ status: 200, text: "alive\n" });
      expect(await send(`${url}/readyz`)).toMatchObject({ status: 200, text: "ready\n" });
      expect((await send(`${url}/v1/models`)).status).toBe(404);
    }
  });

  test("requests are counted by route, alias and status", async () => {
    const route = "/v1/chat/completions";
    const counted = { route, alias: "test-small", status: "200" };
    expect(await growth("tollgate_requests_total", counted, () => post())).toBe(1);
    const unknown = { route, alias: "", status: "404" };
    const notThere = () => post({ model: "someone's-secret-alias" });
    expect(await growth("tollgate_requests_total", unknown, notThere)).toBe(1);
    const seconds = { route, alias: "test-small" };
    expect(await sum("tollgate_request_duration_seconds_count", seconds)).toBeGreaterThan(0);
  });

  test("a client that disconnects before its response is counted as 499, not as 200", async () => {
    const counted = { route: "/v1/chat/completions", alias: "test-small" };
    const disconnected = { ...counted, status: "499" };
    const disconnectedBefore = await sum("tollgate_requests_total", disconnected);
    const leave = async () => {
      const disconnecting = new AbortController();
      const pending = fetch(`${stack.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${account.key}` },
        body: JSON.stringify(chatBody(simulate("delay_ms=60000"))),
        signal: disconnecting.signal,
      });
      await eventually(async () => expect(await sum("tollgate_requests_in_flight")).toBe(1));
      disconnecting.abort();
      await expect(pending).rejects.toThrow();
      await eventually(async () =>
        expect(await sum("tollgate_requests_total", disconnected)).toBe(disconnectedBefore + 1),
      );
      // The provider was called, and its response is awaited without the client.
      stack.simulator.release();
      await eventually(async () => expect(await sum("tollgate_requests_in_flight")).toBe(0));
    };
    expect(await growth("tollgate_requests_total", counted, leave)).toBe(1);
  });

  test("an upload is counted under the alias in its form", async () => {
    const form = new FormData();
    form.append("model", "test-hear");
    form.append("file", new Blob([new Uint8Array(wav(1))], { type: "audio/wav" }), "a.wav");
    const response = new Response(form);
    const body = new Uint8Array(await response.arrayBuffer());
    const headers = { "content-type": response.headers.get("content-type") ?? "" };
    const url = `${stack.url}/v1/audio/transcriptions`;
    const counted = { route: "/v1/audio/transcriptions", alias: "test-hear", status: "200" };
    const upload = async () => {
      const response = await send(url, { key: account.key, body, headers });
      expect(response.headers.has("x-tollgate-alias")).toBe(false);
    };
    expect(await growth("tollgate_requests_total", counted, upload)).toBe(1);
  });

  test("the cost of an OCR job is counted once, when its end is read", async () => {
    const alias = "test-read-at-once";
    const form = new FormData();
    form.append("model", alias);
    form.append("file", new Blob(["%PDF-1.4"], { type: "application/pdf" }), "a.pdf");
    const url = `${stack.url}/v1/ocr/jobs`;
    const headers = { authorization: `Bearer ${account.key}` };
    const created = await fetch(url, { method: "POST", headers, body: form });
    const { job_id } = (await created.json()) as { job_id: string };
    const read = async () => {
      for (let times = 0; times < 2; times += 1) {
        const { status } = await send(`${url}/${job_id}?model=${alias}`, { key: account.key });
        expect(status).toBe(200);
      }
    };
    const counted = { alias, route_type: "ocr" };
    const cost = await growth("tollgate_cost_nano_usd_total", counted, read);
    await eventually(async () => {
      const { entries } = await readWalletRow(stack, account);
      expect(entries).toContainEqual(expect.objectContaining({ amount: BigInt(-cost) }));
    });
    expect(cost).toBeGreaterThan(0);
  });

  test("a request whose usage the provider does not report is counted, by its model", async () => {
    const labels = { alias: "test-hear-measured", basis: "wav_header" };
    const count = () => sum("tollgate_fallback_measures_total", labels);
    const before = await count();
    await transcriptionClient(stack, account).transcribe({ model: labels.alias });
    expect(await count()).toBe(before + 1);
    await transcriptionClient(stack, account).transcribe({ model: "test-hear-duration" });
    expect(await sum("tollgate_fallback_measures_total", { alias: "test-hear-duration" })).toBe(0);
  });

  test("tokens, cost, holds, slots and the first token are counted", async () => {
    const alias = "test-failover-metrics";
    const first = { alias, slot: "sim/first-metrics?status=503", outcome: "trouble" };
    const metrics: [string, Record<string, string>, number][] = [
      ["tollgate_tokens_total", { alias, direction: "prompt" }, 11],
      ["tollgate_tokens_total", { alias, direction: "completion" }, 7],
      ["tollgate_cost_nano_usd_total", { alias, route_type: "chat" }, 6_000],
      ["tollgate_first_token_seconds_count", { alias }, 1],
      ["tollgate_slot_calls_total", first, 1],
      ["tollgate_slot_calls_total", { alias, outcome: "served" }, 1],
    ];
    const read = () => Promise.all(metrics.map(([name, labels]) => sum(name, labels)));
    const before = await read();
    await post({ model: alias, stream: true, ...simulate("usage=11,7") });
    const grown = (await read()).map((value, index) => value - (before[index] ?? 0));
    expect(grown).toEqual(metrics.map(([, , expected]) => expected));
    expect(await sum("tollgate_holds_total", { result: "taken" })).toBeGreaterThan(0);
  });

  test("open breakers and requests in progress are shown", async () => {
    for (let call = 0; call < 5; call += 1) await post({ model: "test-breaker-metrics" });
    expect(await sum("tollgate_slot_out", { slot: "sim/counted?status=500" })).toBe(1);
    const slow = post(simulate("delay_ms=4000"));
    await eventually(async () => {
      expect(await sum("tollgate_requests_in_flight")).toBe(1);
      expect(await sum("tollgate_open_holds")).toBe(1);
    });
    stack.simulator.release();
    await slow;
    await eventually(
      async () => {
        expect(await sum("tollgate_requests_in_flight")).toBe(0);
        expect(await sum("tollgate_open_holds")).toBe(0);
        expect(await sum("tollgate_usage_events_pending")).toBe(0);
      },
      { timeout: 10_000 },
    );
    expect(await sum("tollgate_usage_events_total")).toBeGreaterThan(0);
  });

  test("a live stream is counted as an open socket while it lasts", async () => {
    const url = `${stack.url.replace("http", "ws")}/v1/audio/transcriptions/stream`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${account.key}` } });
    await once(socket, "open");
    await eventually(async () => expect(await sum("tollgate_open_sockets")).toBe(1));
    socket.close(1_000);
    await eventually(async () => expect(await sum("tollgate_open_sockets")).toBe(0));
  });

  test("cost that a wallet could not pay is counted, and listed with its entry", async () => {
    const poor = await stack.newAccount(0.000_002);
    const before = await sum("tollgate_uncollected_nano_usd_total");
    const spoken = await send(`${stack.url}/v1/audio/speech`, {
      key: poor.key,
      body: { model: "test-speech", input: "x".repeat(400), voice: "alto" },
    });
    expect(spoken.status).toBe(200);
    await eventually(async () => {
      const uncollected = await sum("tollgate_uncollected_nano_usd_total");
      expect(uncollected - before).toBe(6_000_000 - 2_000);
    });
    const { entries, balance } = await readWalletRow(stack, poor);
    expect(balance).toBe(0n);
    expect(entries).toContainEqual(
      expect.objectContaining({ amount: -2_000n, uncollected: 5_998_000n }),
    );
  });

  test("no label contains a key, an account or a request", async () => {
    const { text } = await scrape();
    for (const secret of [account.key, account.keyId, account.accountId, "req_", "someone's"]) {
      expect(text).not.toContain(secret);
    }
  });

  test("every metric that the chart's alerts and dashboard use exists", async () => {
    const file = new URL("../../../charts/tollgate/files/metrics.yaml", import.meta.url);
    const known = parse(await readFile(file, "utf8")) as Record<
      string,
      { type: string; labels: string[] }
    >;
    const { text, samples } = await scrape();
    for (const [name, { type, labels }] of Object.entries(known)) {
      // Prometheus provides it.
      if (name === "up") continue;
      expect(text).toContain(`# TYPE ${name} ${type}`);
      const suffix = type === "histogram" ? "_bucket" : "";
      for (const sample of samples.filter((one) => one.name === `${name}${suffix}`)) {
        const own = Object.keys(sample.labels).filter((label) => label !== "le");
        expect([name, own.sort()]).toEqual([name, [...labels].sort()]);
      }
    }
  });
});
