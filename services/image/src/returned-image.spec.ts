import { expect, test } from "vitest";
import { returnedImages } from "./returned-image.ts";

const base64Of = (head: string) => Buffer.from(head, "latin1").toString("base64");
const png = base64Of("\x89PNG\r\n\x1a\n and more");
const jpeg = base64Of("\xff\xd8\xff and more");
const webp = base64Of("RIFF\0\0\0\0WEBP and more");
const unknown = base64Of("something else");

test.each([
  [{ b64_json: png }, undefined, `data:image/png;base64,${png}`],
  [{ b64_json: jpeg }, "png", `data:image/jpeg;base64,${jpeg}`],
  [{ b64_json: webp, url: null }, undefined, `data:image/webp;base64,${webp}`],
  [{ b64_json: unknown, url: "" }, "webp", `data:image/webp;base64,${unknown}`],
  [{ b64_json: unknown }, "PNG, perhaps", `data:image/png;base64,${unknown}`],
  [{ b64_json: `data:image/jpeg;base64,${jpeg}` }, undefined, `data:image/jpeg;base64,${jpeg}`],
  [{ b64_json: png, url: "https://images.test/1" }, undefined, "https://images.test/1"],
])("%j in the format %s is the URL %s", (item, output_format, url) => {
  expect(returnedImages({ output_format, data: [{ ...item, more: 1 }] })).toEqual([{ url }]);
});

test("what is no image is left out", () => {
  const data = [null, "x", {}, { url: 5 }, { b64_json: "" }, { url: "u", revised_prompt: "p" }];
  expect(returnedImages({ data })).toEqual([{ url: "u", revised_prompt: "p" }]);
  expect(returnedImages({ data: { url: "u" } })).toEqual([]);
});
