import { create } from "@bufbuild/protobuf";
import { RequestTrailSchema, type UsageEvent } from "@tollgate/proto/tollgate/v1/usage";
import type pg from "pg";
import { createCapture } from "../src/capture.ts";
import { usageEvent } from "./ledger-database.ts";

/** The trail of a request whose first slot failed. */
export const trail = create(RequestTrailSchema, {
  attempts: [
    {
      provider: "one",
      upstreamModel: "m1",
      startedMs: 1,
      durationMs: 40,
      errorCode: "rejected",
      status: 503,
    },
    { provider: "two", upstreamModel: "m2", startedMs: 41, durationMs: 59 },
  ],
  durationMs: 100,
  firstTokenMs: 60,
  traceId: "0af7651916cd43dd8448eb211c80319c",
  heldNanoUsd: 9_000n,
  isStreamed: true,
});

/** The first page of all requests. */
export const firstPage = { onlyFailed: false, errorCode: "", limit: 100, beforeCursor: "" };

/** Captures events with this trail one after the other, so that their order is known. */
export async function captureInOrder(
  pool: pg.Pool,
  accountId: string,
  events: readonly Partial<UsageEvent>[],
): Promise<UsageEvent[]> {
  const captured = events.map((fields) => usageEvent({ accountId, trail, ...fields }));
  for (const event of captured) await createCapture(pool)(event);
  return captured;
}
