import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { listenForClients } from "./server.ts";

const request = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: unknown\r\n\r\n";

test("a request with an unknown expectation gets its response while the server stops", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const received = Promise.withResolvers<ServerResponse>();
  const upgrades = { routeOf: () => undefined, accept() {} };
  const connectionRefusals = { rejectConnect() {}, rejectMalformed() {} };
  const wanted = { host: "127.0.0.1", port: 0, isPortShared: false };
  const answer = (_req: unknown, res: ServerResponse) => received.resolve(res);
  const server = await listenForClients(answer, upgrades, connectionRefusals, wanted);
  const client = connect(Number(new URL(server.url).port), wanted.host);
  client.write(request);
  const res = await received.promise;
  const stopped = server.stop(60_000);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(2), { timeout: 10_000 });
  vi.advanceTimersByTime(5_000);
  res.end("ok");
  expect(await text(client)).toMatch(/ok$/);
  await stopped;
});
