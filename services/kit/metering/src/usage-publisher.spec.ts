import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { createLog } from "@tollgate/core/log";
import { LedgerService } from "@tollgate/proto/tollgate/v1/ledger";
import { UsageEventSchema } from "@tollgate/proto/tollgate/v1/usage";
import { createClient } from "@tollgate/rpc/client";
import { createLocalTransport } from "@tollgate/rpc/local-transport";
import { createMetrics } from "@tollgate/runtime/operations/metrics";
import { expect, onTestFinished, test } from "vitest";
import { openEventLog } from "./outbox/event-log.ts";
import { createPublisher } from "./usage-publisher.ts";

const log = createLog("silent");

test("an event that is published while the publisher stops is on disk afterwards", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-publisher-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const publisher = createPublisher({
    usageBroker: undefined,
    // No service listens there.
    ledger: createClient(LedgerService, createLocalTransport(log)),
    eventLog: await openEventLog(folder, log),
    log,
    metrics: createMetrics(),
    missingAfterMs: 0,
  });
  // The first reconciliation is over.
  await new Promise(setImmediate);
  const published = publisher.publish(create(UsageEventSchema, { id: "last" }));
  await publisher.stop(0);
  await published;
  const eventLog = await openEventLog(folder, log);
  expect(eventLog.recovered.map(({ id }) => id)).toEqual(["last"]);
  await eventLog.close();
});
