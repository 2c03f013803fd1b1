import { Code } from "@connectrpc/connect";
import { PeerError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { expect, test, vi } from "vitest";
import { toConnectError } from "./connect-error.ts";

test("a call that the browser cancelled is no warning, and one without a response is", () => {
  const log = createLog("silent");
  const warn = vi.spyOn(log, "warn");
  const cancelled = new PeerError("cancelled", "the caller cancelled the call");
  expect(toConnectError(cancelled, log).code).toBe(Code.Canceled);
  expect(warn).not.toHaveBeenCalled();
  const down = new PeerError("unavailable", "connection refused");
  expect(toConnectError(down, log).code).toBe(Code.Unavailable);
  expect(warn).toHaveBeenCalledOnce();
});
