import { expect, test } from "vitest";
import { imageTypeOf } from "./image-type.ts";

test.each([
  ["89504e470d0a1a0a0000000d49484452", "image/png"],
  ["ffd8ffe000104a464946000101000001", "image/jpeg"],
  ["47494638396101000100800000000000", "image/gif"],
  ["49492a00080000000000000000000000", "image/tiff"],
  ["4d4d002a000000080000000000000000", "image/tiff"],
  ["524946462a000000574542505650384c", "image/webp"],
  ["0000001c667479706176696600000000", "image/avif"],
  ["00000018667479706865696300000000", "image/heic"],
  ["00000018667479706d69663100000000", "image/heif"],
  ["255044462d312e340a25e2e3cfd30a31", undefined],
  ["524946462400000057415645666d7420", undefined],
  ["", undefined],
])("the first bytes %s are of %s", (hex, type) => {
  expect(imageTypeOf(Buffer.from(hex, "hex"))).toBe(type);
});
