import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { listen } from "./server.ts";

const request = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: unknown\r\n\r\n";

test("a request with an unknown expectation gets its response while the server stops", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const received = Promise.withResolvers<ServerResponse>();
  const upgrades = { routeOf: () => undefined, accept() {} };
  const wanted = { host: "127.0.0.1", port: 0, leaving: new AbortController().signal };
  const server = await listen((_req, res) => received.resolve(res), upgrades, wanted);
  const client = connect(Number(new URL(server.url).port), wanted.host);
  client.write(request);
  const res = await received.promise;
  const stopped = server.stop(60_000);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { timeout: 10_000 });
  vi.advanceTimersByTime(5_000);
  res.end("ok");
  expect(await text(client)).toMatch(/ok$/);
  await stopped;
});

test("a server that is leaving closes connections after their responses, and idle ones only when it stops", async () => {
  const leaving = new AbortController();
  const pending = Promise.withResolvers<ServerResponse>();
  const upgrades = { routeOf: () => undefined, accept() {} };
  const wanted = { host: "127.0.0.1", port: 0, leaving: leaving.signal };
  const server = await listen(
    (req, res) => void (req.url === "/slow" ? pending.resolve(res) : res.end("ok")),
    upgrades,
    wanted,
  );
  const open = () => connect(Number(new URL(server.url).port), wanted.host);
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
  const [idle, slow, late] = [open(), open(), open()];
  idle.write(get("/"));
  slow.write(get("/slow"));
  const [[response]] = await Promise.all([once(idle, "data"), once(late, "connect")]);
  expect(String(response)).toContain("Connection: keep-alive");
  const begun = await pending.promise;
  leaving.abort();
  begun.end("slow");
  late.write(get("/"));
  for (const client of [slow, late]) expect(await text(client)).toContain("Connection: close");
  idle.write(get("/"));
  expect(await text(idle)).toContain("Connection: close");
  const unused = open();
  await once(unused, "connect");
  unused.resume();
  await Promise.all([server.stop(10_000), once(unused, "close")]);
});
