import { describe, expect, test } from "vitest";
import { ocrClient } from "../src/ocr-client.ts";
import { imageFile, modelField, type OcrPart } from "../src/ocr-form.ts";
import { expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";

const mebibyte = 1024 * 1024;

const { stack, account } = await sharedStack({ creditUsd: 10 });
const ocr = ocrClient(stack, account);

describe("refused OCR requests", () => {
  test.each<[string, OcrPart[], string, string]>([
    [
      "an unknown field",
      [imageFile, modelField("test-read"), { name: "dpi", contents: "1" }],
      "unknown_param",
      "dpi",
    ],
    ["no file", [modelField("test-read")], "invalid_param", "file"],
    [
      "a file as text",
      [modelField("test-read"), { name: "file", contents: "x" }],
      "invalid_param",
      "file",
    ],
    ["no model", [imageFile], "invalid_param", "model"],
    ["an empty model", [imageFile, modelField("")], "invalid_param", "model"],
    ["two models", [imageFile, modelField("a"), modelField("b")], "invalid_param", "model"],
    [
      "another lane's mode",
      [imageFile, modelField("test-read"), { name: "mode", contents: "archival" }],
      "invalid_param",
      "mode",
    ],
    [
      "an unknown mode",
      [imageFile, modelField("test-read"), { name: "mode", contents: "x" }],
      "invalid_param",
      "mode",
    ],
    [
      "diplomatic yes",
      [imageFile, modelField("test-read"), { name: "diplomatic", contents: "yes" }],
      "invalid_param",
      "diplomatic",
    ],
  ])("%s is refused, on both routes", async (_, parts, code, param) => {
    const before = stack.simulator.calls.list().length;
    expectEnvelope(await ocr.read(parts), 400, code, param);
    expectEnvelope(await ocr.createJob(parts), 400, code, param);
    expect(stack.simulator.calls.list()).toHaveLength(before);
  });

  test("401, 402, 403, 404, 413, 502 and 503, on both routes", async () => {
    const poor = await stack.newAccount(0);
    const gone = await stack.newAccount(1);
    await stack.operator.revokeKey({ keyId: gone.keyId });
    const big = { ...imageFile, contents: Buffer.alloc(25 * mebibyte + 1) };
    for (const path of ["/v1/ocr", "/v1/ocr/jobs"]) {
      const good = [imageFile, modelField("test-read")];
      expectEnvelope(await ocr.post(path, good, "sk-x"), 401, "invalid_api_key");
      expectEnvelope(await ocr.post(path, good, poor.key), 402, "credit_balance_exhausted");
      expectEnvelope(await ocr.post(path, good, gone.key), 403, "key_revoked");
      for (const alias of ["nobody", "test-small", "test-read-internal"]) {
        expectEnvelope(
          await ocr.post(path, [imageFile, modelField(alias)]),
          404,
          "model_not_found",
          "model",
        );
      }
      expectEnvelope(
        await ocr.post(path, [big, modelField("x")]),
        413,
        "request_too_large",
        "file",
      );
      for (const alias of ["test-read-failing", "test-read-refused", "test-read-erring"]) {
        expectEnvelope(
          await ocr.post(path, [imageFile, modelField(alias)]),
          502,
          "upstream_rejected",
        );
      }
      const dead = await ocr.post(path, [imageFile, modelField("test-read-dead")]);
      expectEnvelope(dead, 503, "no_provider_available");
      expectEnvelope(await ocr.post(`${path}?x=1`, good), 400, "unknown_param", "x");
    }
  });

  test.each([
    ["nothing at all", ""],
    ["no final boundary", "--b\r\nContent-Disposition: form-data; name=model\r\n\r\nx"],
    ["a truncated header", "--b\r\nContent-Dispo"],
    ["a part without a name", "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--"],
    ["a part without headers", "--b\r\n\r\nx\r\n--b--"],
    ["padding after a boundary", `--b \r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--b--`],
    ["a header bomb", `--b\r\nX: ${"y".repeat(100_000)}\r\n\r\nx\r\n--b--`],
    [
      "100,000 parts",
      `${"--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n".repeat(100_000)}--b--`,
    ],
  ])("%s is a 400 with invalid_json", async (_, body) => {
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    for (const path of ["/v1/ocr", "/v1/audio/transcriptions"]) {
      const response = await send(`${stack.url}${path}`, { key: account.key, body, headers });
      expectEnvelope(response, 400, "invalid_json");
    }
  });
});
