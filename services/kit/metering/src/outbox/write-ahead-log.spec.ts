import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createLog } from "@tollgate/core/log";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPartition } from "./partition.ts";
import { openWriteAheadLog } from "./write-ahead-log.ts";

vi.mock("node:fs/promises", { spy: true });

const log = createLog("silent");

test("is closed once the segments without events are deleted", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-wal-"));
  const partition = await openPartition(folder);
  onTestFinished(async () => {
    vi.mocked(rm).mockRestore();
    partition.unlock();
    await rm(folder, { recursive: true });
  });
  const writeAheadLog = await openWriteAheadLog(partition, 1, log);
  const deleted = Promise.withResolvers<void>();
  vi.mocked(rm).mockReturnValueOnce(deleted.promise);
  for (const id of ["one", "two"]) writeAheadLog.append([{ id, bytes: Buffer.from(id) }]);
  writeAheadLog.remove("one");
  expect(rm).toHaveBeenCalledWith(partition.pathOf(0));
  const onClosed = vi.fn();
  const closed = writeAheadLog.close();
  void closed.then(onClosed);
  await nextTurn();
  expect(onClosed).not.toHaveBeenCalled();
  deleted.resolve();
  await closed;
  await rm(partition.pathOf(0));
  const next = await openWriteAheadLog(partition, 1, log);
  expect([...next.events().keys()]).toEqual(["two"]);
  await next.close();
});
