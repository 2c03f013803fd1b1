import type { Dispatcher } from "undici";
import { expect, test, vi } from "vitest";
import { ProviderCall } from "./provider-call.ts";

test("what had arrived before a call was cancelled can still be read", async () => {
  const cancelling = new AbortController();
  const call = new ProviderCall(cancelling.signal, undefined);
  const connection = { abort: vi.fn(), pause: vi.fn(), resume: vi.fn() };
  const controller = connection as unknown as Dispatcher.DispatchController;
  call.onRequestStart(controller);
  call.onResponseStart(controller, 200, {});
  const large = Buffer.alloc(100_000, "x");
  call.onResponseData(controller, large);
  cancelling.abort(new Error("the client disconnected"));
  call.onResponseData(controller, Buffer.from("too late"));
  await call.return();
  expect(call.takeUnread().equals(large)).toBe(true);
  expect(call.takeUnread()).toHaveLength(0);
  expect(connection.abort).toHaveBeenCalledOnce();
  expect(connection.resume).not.toHaveBeenCalled();
  await expect(call.next()).rejects.toThrow("the client disconnected");
});
