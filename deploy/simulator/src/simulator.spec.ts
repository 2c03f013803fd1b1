import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { openChat, postToSimulator, simulatorChatBody } from "../test/client.ts";
import { startSimulator } from "./simulator.ts";

test("closing destroys pending connections and frees the port", async () => {
  const simulator = await startSimulator({ port: 0 });
  const socket = openChat(simulator.url, simulatorChatBody({}, "hang"));
  await vi.waitFor(() => expect(simulator.calls.list()[0]?.outcome).toBe("hung"));
  const closed = once(socket, "close");
  await simulator.close();
  await closed;
  const next = await startSimulator({ port: Number(new URL(simulator.url).port) });
  expect((await postToSimulator(next.url, simulatorChatBody())).status).toBe(200);
  await next.close();
});

test("a port in use is refused", async () => {
  const simulator = await startSimulator({ port: 0 });
  const port = Number(new URL(simulator.url).port);
  await expect(startSimulator({ port })).rejects.toThrow("EADDRINUSE");
  await simulator.close();
});

test("simulators share no state", async () => {
  const [one, other] = [await startSimulator({ port: 0 }), await startSimulator({ port: 0 })];
  await postToSimulator(one.url, simulatorChatBody());
  expect(one.calls.list().length).toBe(1);
  expect(other.calls.list().length).toBe(0);
  await Promise.all([one.close(), other.close()]);
});

test("released calls finish at once, and later calls wait again", async () => {
  const simulator = await startSimulator({ port: 0 });
  const delayed = postToSimulator(simulator.url, simulatorChatBody({}, "delay_ms=600000"));
  const paced = postToSimulator(
    simulator.url,
    simulatorChatBody({ stream: true }, "chunks=9&gap_ms=600000"),
  );
  await vi.waitFor(() => expect(simulator.calls.list()).toHaveLength(2));
  simulator.release();
  for (const response of [await delayed, await paced]) await response.text();
  const later = openChat(simulator.url, simulatorChatBody({}, "delay_ms=600000"));
  await vi.waitFor(() => expect(simulator.calls.list()).toHaveLength(3));
  expect(simulator.calls.list().map(({ outcome }) => outcome)).toEqual([
    "completed",
    "completed",
    "open",
  ]);
  const closed = once(later, "close");
  await simulator.close();
  await closed;
});
