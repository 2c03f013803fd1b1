import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../src/eventually.ts";
import { expectBalancedLedger, readWalletRow } from "../src/ledger.ts";
import { nanoUsd } from "../src/nano-usd.ts";
import { ocrClient } from "../src/ocr-client.ts";
import { modelField, rawOcrForm } from "../src/ocr-form.ts";
import { metricSum } from "../src/process-metrics.ts";
import { expectEnvelope } from "../src/request.ts";
import { type OwnStack, startStack, type TestAccount } from "../src/stack.ts";
import { audioForm, transcriptionClient } from "../src/transcription-client.ts";

const mebibyte = 1024 * 1024;
/** The bytes that a begun upload has not sent yet. */
const unsentBytes = 70_000;
/** An upload is counted in blocks of this size: its last block is not full yet. */
const blockBytes = 64 * 1024;

describe("the disk space for uploads", () => {
  let stack: OwnStack;

  beforeAll(async () => {
    stack = await startStack({ TOLLGATE_UPLOADS_MIB: "30" });
  });

  afterAll(() => stack.stop());

  const bytesInUse = () => metricSum(stack.operationsUrls, "tollgate_upload_bytes");

  /** Sends a form without its last bytes. */
  function beginUpload(path: string, { key }: TestAccount, body: Buffer, type: string) {
    const sending = request(`${stack.url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": type,
        "content-length": body.length,
      },
    });
    sending.on("error", () => {});
    sending.write(body.subarray(0, -unsentBytes));
    return {
      async complete(): Promise<IncomingMessage> {
        sending.end(body.subarray(-unsentBytes));
        const [response] = (await once(sending, "response")) as [IncomingMessage];
        response.resume();
        await once(response, "end");
        return response;
      },
      leave: () => void sending.destroy(),
    };
  }

  test("uploads over a key's share are refused with a 503 and Retry-After until others end", async () => {
    const [account, other] = [await stack.newAccount(10), await stack.newAccount(10)];
    const file = { name: "file", contents: Buffer.alloc(13 * mebibyte), type: "image/png" };
    const { body, contentType } = rawOcrForm([modelField("test-read"), file]);
    const reading = beginUpload("/v1/ocr", account, body, contentType);
    const audio = new Response(audioForm(Buffer.alloc(13 * mebibyte), { model: "test-hear" }));
    const hearing = beginUpload(
      "/v1/audio/transcriptions",
      account,
      Buffer.from(await audio.arrayBuffer()),
      audio.headers.get("content-type") ?? "",
    );
    // While more arrives, a small upload may take the rest of the share, and a large one is refused.
    const arrived = 2 * (13 * mebibyte - unsentBytes - blockBytes);
    await eventually(async () => expect(await bytesInUse()).toBeGreaterThan(arrived));

    const calls = stack.simulator.calls.list().length;
    const small = [modelField("test-read"), { ...file, contents: Buffer.alloc(mebibyte) }];
    for (const path of ["/v1/ocr", "/v1/ocr/jobs"]) {
      const refused = await ocrClient(stack, account).post(path, small);
      expectEnvelope(refused, 503, "no_provider_available");
      expect(refused.headers.get("retry-after")).toBe("5");
      expect(refused.headers.get("x-should-retry")).toBe("true");
    }
    const refused = await transcriptionClient(stack, account).transcribe(
      {},
      Buffer.alloc(mebibyte),
    );
    expectEnvelope(refused, 503, "no_provider_available");
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(stack.simulator.calls.list()).toHaveLength(calls);
    const { balance, held } = await readWalletRow(stack, account);
    expect([balance, held]).toEqual([nanoUsd(10), 0n]);
    expect((await ocrClient(stack, other).read(small)).status).toBe(200);

    hearing.leave();
    expect((await reading.complete()).statusCode).toBe(200);
    await eventually(async () => expect(await bytesInUse()).toBe(0));
    expect((await ocrClient(stack, account).read(small)).status).toBe(200);
    await eventually(async () => expect(await bytesInUse()).toBe(0));
    await expectBalancedLedger(stack);
  });
});
