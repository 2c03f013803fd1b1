import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { picture } from "./picture.ts";

test("the picture is a PNG with all of its pixels", () => {
  const png = Buffer.from(picture, "base64");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  expect([width, height]).toEqual([256, 256]);
  const data = png.indexOf("IDAT");
  const pixels = inflateSync(png.subarray(data + 4, data + 4 + png.readUInt32BE(data - 4)));
  expect(pixels).toHaveLength(height * (1 + 3 * width));
  expect(picture.length).toBeLessThan(8_192);
});
