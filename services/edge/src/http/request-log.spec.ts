import type { IncomingMessage } from "node:http";
import type { Log } from "@tollgate/core/log";
import type { Metrics } from "@tollgate/runtime/operations/metrics";
import { expect, test, vi } from "vitest";
import { recordRequest } from "./request-log.ts";

test("the log line of a request has no query, and no key in its path or its client's id", () => {
  const info = vi.fn();
  const log = { info } as unknown as Log;
  const metrics = { requests: { inc() {} }, requestDuration: { observe() {} } };
  const key = `sk-tollgate-${"k".repeat(43)}`;
  const headers = { "x-client-request-id": key };
  const req = { method: "GET", url: `/v1/models/${key}?key=${key}`, headers };
  recordRequest(
    { log, metrics: metrics as unknown as Metrics },
    {
      req: req as unknown as IncomingMessage,
      ...{ requestId: "req_1", route: "/v1/models/{alias}", alias: "", status: 404, ms: 1 },
      ...{ code: "model_not_found", keyId: undefined, accountId: undefined },
    },
  );
  expect(info).toHaveBeenCalledWith(
    expect.objectContaining({
      path: "/v1/models/sk-tollgate-kkkk…kkkk",
      client_request_id: "sk-tollgate-kkkk…kkkk",
    }),
    "request",
  );
  expect(JSON.stringify(info.mock.calls)).not.toContain(key);
});
