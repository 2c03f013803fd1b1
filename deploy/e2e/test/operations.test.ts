import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { parse } from "yaml";
import { wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { expectBooksInOrder, readBooks } from "../src/ledger-books.ts";
import { chatBody, send, simulate } from "../src/request.ts";
import { type Account, type Stack, startStack } from "../src/stack.ts";

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

describe("operations", () => {
  let stack: Stack;
  let account: Account;

  beforeAll(async () => {
    stack = await startStack();
    account = await stack.newAccount(10);
  });

  afterAll(async () => {
    await expectBooksInOrder(stack);
    await stack.stop();
  });

  function ask(more: Record<string, unknown> = {}, key: string = account.key) {
    return send(`${stack.url}/v1/chat/completions`, { key, body: chatBody(more) });
  }

  async function scrape(): Promise<{ text: string; samples: Sample[] }> {
    const texts = await Promise.all(
      stack.operationsUrls.map(async (url) => (await send(`${url}/metrics`)).text),
    );
    const text = texts.join("\n");
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

  /** How much a metric grows by what is done. */
  async function growth(
    name: string,
    labels: Record<string, string>,
    work: () => Promise<unknown>,
  ) {
    const before = await sum(name, labels);
    await work();
    return (await sum(name, labels)) - before;
  }

  test("every process is alive and ready, and knows nothing else", async () => {
    for (const url of stack.operationsUrls) {
      expect(await send(`${url}/livez`)).toMatchObject({ status: 200, text: "alive\n" });
      expect(await send(`${url}/readyz`)).toMatchObject({ status: 200, text: "ready\n" });
      expect((await send(`${url}/v1/models`)).status).toBe(404);
    }
  });

  test("requests are counted by route, alias and status", async () => {
    const route = "/v1/chat/completions";
    const counted = { route, alias: "test-small", status: "200" };
    expect(await growth("tollgate_requests_total", counted, () => ask())).toBe(1);
    const unknown = { route, alias: "", status: "404" };
    const notThere = () => ask({ model: "someone's-secret-alias" });
    expect(await growth("tollgate_requests_total", unknown, notThere)).toBe(1);
    const seconds = { route, alias: "test-small" };
    expect(await sum("tollgate_request_duration_seconds_count", seconds)).toBeGreaterThan(0);
  });

  test("a client that leaves before its answer is counted as that, not as served", async () => {
    const counted = { route: "/v1/chat/completions", alias: "test-small" };
    const leave = async () => {
      const leaving = new AbortController();
      const asked = fetch(`${stack.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${account.key}` },
        body: JSON.stringify(chatBody(simulate("delay_ms=60000"))),
        signal: leaving.signal,
      });
      await eventually(async () => expect(await sum("tollgate_requests_in_flight")).toBe(1));
      leaving.abort();
      await expect(asked).rejects.toThrow();
      const left = { ...counted, status: "499" };
      await eventually(async () => expect(await sum("tollgate_requests_total", left)).toBe(1));
    };
    expect(await growth("tollgate_requests_total", counted, leave)).toBe(1);
  });

  test("an upload is counted by the alias in its form", async () => {
    const form = new FormData();
    form.append("model", "test-hear");
    form.append("file", new Blob([new Uint8Array(wav(1))], { type: "audio/wav" }), "a.wav");
    const response = new Response(form);
    const body = new Uint8Array(await response.arrayBuffer());
    const headers = { "content-type": response.headers.get("content-type") ?? "" };
    const url = `${stack.url}/v1/audio/transcriptions`;
    const counted = { route: "/v1/audio/transcriptions", alias: "test-hear", status: "200" };
    const upload = async () => {
      const answer = await send(url, { key: account.key, body, headers });
      expect(answer.headers.has("x-tollgate-alias")).toBe(false);
    };
    expect(await growth("tollgate_requests_total", counted, upload)).toBe(1);
  });

  test("what an OCR job cost is counted when its end is seen, once", async () => {
    const alias = "test-read-at-once";
    const form = new FormData();
    form.append("model", alias);
    form.append("file", new Blob(["%PDF-1.4"], { type: "application/pdf" }), "a.pdf");
    const url = `${stack.url}/v1/ocr/jobs`;
    const headers = { authorization: `Bearer ${account.key}` };
    const made = await fetch(url, { method: "POST", headers, body: form });
    const { job_id } = (await made.json()) as { job_id: string };
    const read = async () => {
      for (let times = 0; times < 2; times += 1) {
        const { status } = await send(`${url}/${job_id}?model=${alias}`, { key: account.key });
        expect(status).toBe(200);
      }
    };
    const counted = { alias, route_type: "ocr" };
    const cost = await growth("tollgate_cost_nano_usd_total", counted, read);
    await eventually(async () => {
      const { entries } = await readBooks(stack, account);
      expect(entries).toContainEqual(expect.objectContaining({ amount: BigInt(-cost) }));
    });
    expect(cost).toBeGreaterThan(0);
  });

  test("tokens, cost, holds, slots and the first token are counted", async () => {
    const alias = "test-failover";
    await ask({ model: alias, stream: true, ...simulate("usage=11,7") });
    const { samples } = await scrape();
    const of = (name: string, labels: Record<string, string>) =>
      samples
        .filter((one) => one.name === name)
        .filter((one) => Object.entries(labels).every(([key, text]) => one.labels[key] === text))
        .reduce((total, { value }) => total + value, 0);
    expect(of("tollgate_tokens_total", { alias, direction: "prompt" })).toBe(11);
    expect(of("tollgate_tokens_total", { alias, direction: "completion" })).toBe(7);
    expect(of("tollgate_cost_nano_usd_total", { alias, route_type: "chat" })).toBe(6_000);
    expect(of("tollgate_first_token_seconds_count", { alias })).toBe(1);
    const first = { alias, slot: "sim/first?status=503", outcome: "rejected" };
    expect(of("tollgate_slot_calls_total", first)).toBe(1);
    expect(of("tollgate_slot_calls_total", { alias, outcome: "served" })).toBe(1);
    expect(of("tollgate_holds_total", { result: "taken" })).toBeGreaterThan(0);
  });

  test("a slot that is out shows, and what is in flight does too", async () => {
    for (let call = 0; call < 5; call += 1) await ask({ model: "test-breaker" });
    expect(await sum("tollgate_slot_out", { slot: "sim/broken?status=500" })).toBe(1);
    const slow = ask(simulate("delay_ms=4000"));
    await eventually(async () => {
      expect(await sum("tollgate_requests_in_flight")).toBe(1);
      expect(await sum("tollgate_open_holds")).toBe(1);
    });
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

  test("a live stream is an open socket while it lasts", async () => {
    const url = `${stack.url.replace("http", "ws")}/v1/audio/transcriptions/stream`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${account.key}` } });
    await eventually(async () => expect(await sum("tollgate_open_sockets")).toBe(1));
    socket.close(1_000);
    await eventually(async () => expect(await sum("tollgate_open_sockets")).toBe(0));
  });

  test("cost that a wallet could not pay is counted, and listed with its entry", async () => {
    const poor = await stack.newAccount(0.000_002);
    const spoken = await send(`${stack.url}/v1/audio/speech`, {
      key: poor.key,
      body: { model: "test-speech", input: "x".repeat(400), voice: "alto" },
    });
    expect(spoken.status).toBe(200);
    await eventually(async () => {
      expect(await sum("tollgate_uncollected_nano_usd_total")).toBe(6_000_000 - 2_000);
    });
    const { entries, balance } = await readBooks(stack, poor);
    expect(balance).toBe(0n);
    expect(entries).toContainEqual(
      expect.objectContaining({ amount: -2_000n, uncollected: 5_998_000n }),
    );
  });

  test("no label holds a key, an account or a request", async () => {
    const { text } = await scrape();
    for (const secret of [account.key, account.keyId, account.accountId, "req_", "someone's"]) {
      expect(text).not.toContain(secret);
    }
  });

  test("what the chart's alerts and dashboard are made of is all there", async () => {
    const file = new URL("../../../charts/tollgate/files/metrics.yaml", import.meta.url);
    const known = parse(await readFile(file, "utf8")) as Record<
      string,
      { type: string; labels: string[] }
    >;
    const { text, samples } = await scrape();
    for (const [name, { type, labels }] of Object.entries(known)) {
      // Prometheus's own.
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
