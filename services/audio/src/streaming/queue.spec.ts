import { expect, test, vi } from "vitest";
import { createQueue } from "./queue.ts";

function queueOf(limits: { limit: number; maxBytes?: number }) {
  const source = { onFull: vi.fn(), onEmpty: vi.fn() };
  const queue = createQueue<string>({ ...limits, ...source });
  return { queue, source, reader: queue.items[Symbol.asyncIterator]() };
}

test.each([
  ["items", { limit: 2, maxBytes: 100 }, 1],
  ["bytes", { limit: 100, maxBytes: 20 }, 10],
])("a queue that is full by %s reports it once, and again after it was emptied", async (_, limits, bytes) => {
  const { queue, source, reader } = queueOf(limits);
  for (let round = 1; round <= 2; round += 1) {
    queue.push("a", bytes);
    expect(source.onFull).toHaveBeenCalledTimes(round - 1);
    queue.push("b", bytes);
    queue.push("c", bytes);
    expect(source.onFull).toHaveBeenCalledTimes(round);
    for (const item of ["a", "b"]) expect((await reader.next()).value).toBe(item);
    expect(source.onEmpty).toHaveBeenCalledTimes(round - 1);
    expect((await reader.next()).value).toBe("c");
    expect(source.onEmpty).toHaveBeenCalledTimes(round);
  }
});

test("the items before the end are read, then the failure is thrown", async () => {
  const { queue, reader } = queueOf({ limit: 2 });
  queue.push("a");
  queue.end(new Error("broken"));
  expect((await reader.next()).value).toBe("a");
  await expect(reader.next()).rejects.toThrow("broken");
});
