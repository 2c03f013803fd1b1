import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createLog } from "@tollgate/core/log";
import { expect, onTestFinished, test, vi } from "vitest";
import type { EventStore } from "./event-store.ts";
import { createJournals } from "./write-ahead-log.ts";

vi.mock("node:fs/promises", { spy: true });

test("are closed once those are gone that have nothing left in them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-journals-"));
  const pathOf = (journal: number) => join(folder, String(journal));
  const store = { firstJournal: 0, pathOf } as EventStore;
  const journals = createJournals(store, 1, createLog("silent"));
  onTestFinished(async () => {
    vi.mocked(rm).mockRestore();
    await rm(folder, { recursive: true });
  });
  const removed = Promise.withResolvers<void>();
  vi.mocked(rm).mockReturnValueOnce(removed.promise);
  for (const id of ["one", "two"]) journals.keep([{ id, bytes: Buffer.from(id) }]);
  journals.forget("one");
  expect(rm).toHaveBeenCalledWith(pathOf(0));
  const onClosed = vi.fn();
  const closed = journals.close();
  void closed.then(onClosed);
  await nextTurn();
  expect(onClosed).not.toHaveBeenCalled();
  removed.resolve();
  expect([...(await closed).keys()]).toEqual(["two"]);
});
