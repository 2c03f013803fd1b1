import type { Dispatcher } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { ProviderCall } from "./provider-call.ts";

const left = new Error("the client disconnected");

/** A call whose response has begun. */
function begin(contentType = "text/event-stream") {
  const cancelling = new AbortController();
  const call = new ProviderCall(cancelling.signal, undefined);
  const connection = { abort: vi.fn(), pause: vi.fn(), resume: vi.fn() };
  const controller = connection as unknown as Dispatcher.DispatchController;
  call.onRequestStart(controller);
  call.onResponseStart(controller, 200, { "content-type": contentType });
  const receive = (bytes: Buffer) => call.onResponseData(controller, bytes);
  return { call, cancel: () => cancelling.abort(left), connection, receive };
}

/** Reads what is left of a body. Resolves with the number of its bytes, and what it ends with. */
async function readRest(call: ProviderCall) {
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await call.next();
      if (done) return { bytes, failure: undefined };
      bytes += value.length;
    }
  } catch (failure) {
    return { bytes, failure };
  }
}

const small = Buffer.alloc(1_000, "x");
const large = Buffer.alloc(100_000, "x");

test.each([
  ["its signal aborts", left],
  ["it is stopped", undefined],
])("what had arrived when %s can still be read, and its connection is closed at once", async (_, failure) => {
  const { call, cancel, connection, receive } = begin();
  receive(small);
  if (failure === undefined) call.stopReceiving();
  else cancel();
  expect(connection.abort).toHaveBeenCalledOnce();
  receive(large);
  expect(await readRest(call)).toEqual({ bytes: small.length, failure });
});

test("what a provider has sent to a paused connection is read until little arrives", async () => {
  const { call, cancel, connection, receive } = begin();
  receive(large);
  cancel();
  expect([connection.pause, connection.abort].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  const reading = readRest(call);
  await vi.waitFor(() => expect(connection.resume).toHaveBeenCalledOnce());
  receive(large);
  receive(small);
  expect(await reading).toEqual({ bytes: 2 * large.length + small.length, failure: left });
  expect(connection.abort).toHaveBeenCalledOnce();
});

test("a provider sends again to a connection that was paused after as long as the pause at the latest", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { call, cancel, connection, receive } = begin();
  receive(large);
  await vi.advanceTimersByTimeAsync(20_000);
  cancel();
  const reading = readRest(call);
  await vi.advanceTimersByTimeAsync(20_000);
  receive(small);
  await vi.advanceTimersByTimeAsync(1_000);
  receive(large);
  expect(connection.abort).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await reading).toEqual({ bytes: 2 * large.length + small.length, failure: left });
});

test("a provider that does not stop sending is read for a time", async () => {
  const { call, cancel, connection, receive } = begin();
  receive(large);
  cancel();
  connection.resume.mockImplementation(() => void setTimeout(receive, 20, large));
  const { bytes, failure } = await readRest(call);
  expect(bytes).toBeGreaterThan(2 * large.length);
  expect(failure).toBe(left);
});

test("a body that is no stream of events, or whose reader ends, is not read on", async () => {
  const whole = begin("application/json");
  whole.receive(large);
  whole.cancel();
  expect(whole.connection.abort).toHaveBeenCalledOnce();
  const ended = begin();
  ended.receive(large);
  ended.cancel();
  await ended.call.return();
  expect(ended.connection.abort).toHaveBeenCalledOnce();
});
