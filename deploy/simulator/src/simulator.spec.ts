import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { chatBody, openChat, postChat } from "../test/client.ts";
import { startSimulator } from "./simulator.ts";

test("closing destroys pending connections and frees the port", async () => {
  const simulator = await startSimulator({ port: 0 });
  const socket = openChat(simulator.url, chatBody({}, "hang"));
  await vi.waitFor(() => expect(simulator.calls.list()[0]?.outcome).toBe("hung"));
  const closed = once(socket, "close");
  await simulator.close();
  await closed;
  const next = await startSimulator({ port: Number(new URL(simulator.url).port) });
  expect((await postChat(next.url, chatBody())).status).toBe(200);
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
  await postChat(one.url, chatBody());
  expect(one.calls.list().length).toBe(1);
  expect(other.calls.list().length).toBe(0);
  await Promise.all([one.close(), other.close()]);
});
