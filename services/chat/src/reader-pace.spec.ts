import { expect, test } from "vitest";
import { ReaderPace } from "./reader-pace.ts";

test("a stream that breaks soon after its reader stalled may have been broken by it", () => {
  const pace = new ReaderPace();
  pace.record(1_000, 5_900);
  expect(pace.isCause(5_900)).toBe(false);
  pace.record(6_000, 11_000);
  pace.record(11_000, 11_001);
  expect(pace.isCause(11_100)).toBe(true);
  expect(pace.isCause(16_100)).toBe(false);
});
