import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { wav } from "../src/audio-files.ts";
import { conversationClient } from "../src/conversation-client.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { liveClient } from "../src/live-client.ts";
import { ocrClient } from "../src/ocr-client.ts";
import { imageFile, modelField as modelPart } from "../src/ocr-form.ts";
import { chatBody, expectEnvelope, send } from "../src/request.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { specialtyRoutes } from "../src/specialty-routes.ts";
import type { TestAccount } from "../src/stack.ts";
import { audioForm, transcriptionClient } from "../src/transcription-client.ts";

const { stack } = await sharedStack();

describe("a key that is limited to models", () => {
  /** Creates an account with a key that may call these models. */
  async function newKey(...models: string[]): Promise<TestAccount> {
    const { accountId } = await stack.newAccount(5);
    const { keyId, key } = await stack.operator.createKey({ account: accountId, models });
    return { accountId, keyId, key };
  }

  /** A call of every route type with a model. */
  const calls: Record<
    string,
    [string, (own: TestAccount, model: string) => Promise<HttpResponse>]
  > = {
    ...Object.fromEntries(
      specialtyRoutes.map(({ path, alias, body }) => [
        `POST ${path} (${alias})`,
        [
          alias,
          ({ key }: TestAccount, model: string) =>
            send(`${stack.url}${path}`, { key, body: { ...body, model } }),
        ],
      ]),
    ),
    "POST /v1/chat/completions": [
      "test-small",
      ({ key }, model) =>
        send(`${stack.url}/v1/chat/completions`, { key, body: chatBody({ model }) }),
    ],
    "POST /v1/audio/speech": [
      "test-speech",
      ({ key }, model) =>
        send(`${stack.url}/v1/audio/speech`, { key, body: { model, input: "Hi", voice: "a" } }),
    ],
    "GET /v1/audio/voices": [
      "test-speech",
      ({ key }, model) => send(`${stack.url}/v1/audio/voices?model=${model}`, { key }),
    ],
    "POST /v1/audio/transcriptions": [
      "test-hear",
      (own, model) => transcriptionClient(stack, own).transcribe({ model }),
    ],
    "POST /v1/audio/transcriptions with stream": [
      "test-hear",
      (own, model) =>
        transcriptionClient(stack, own).post(audioForm(wav(1), { model, stream: "true" })),
    ],
    "POST /v1/ocr": [
      "test-read",
      (own, model) => ocrClient(stack, own).read([imageFile, modelPart(model)]),
    ],
    "POST /v1/ocr/jobs": [
      "test-read",
      (own, model) => ocrClient(stack, own).createJob([imageFile, modelPart(model)]),
    ],
  };

  /** Returns an error's body without the alias that it names. */
  const errorOf = ({ text }: HttpResponse, alias: string) => text.replaceAll(alias, "?");

  test("calls them on every route, and any other is as unknown as one that does not exist", async () => {
    const other = await newKey("nothing/*");
    for (const [name, [alias, call]] of Object.entries(calls)) {
      const own = await newKey("nothing/*", `${alias.slice(0, -2)}*`);
      const served = await call(own, alias);
      expect([name, served.status]).toEqual([name, served.status < 300 ? served.status : 200]);
      const before = stack.simulator.calls.list().length;
      const refused = await call(other, alias);
      expectEnvelope(refused, 404, "model_not_found", "model");
      const unknown = await call(other, "nobody");
      expect(errorOf(refused, alias)).toBe(errorOf(unknown, "nobody"));
      expect(stack.simulator.calls.list().length).toBe(before);
    }
  });

  test("reads jobs of its models only, and speaks live to its models only", async () => {
    const own = await newKey("test-read", "test-hear");
    const created = await ocrClient(stack, own).createJob([imageFile, modelPart("test-read")]);
    const { job_id: jobId } = created.body as { job_id: string };
    expect((await ocrClient(stack, own).readJob(jobId, "test-read")).status).toBe(200);
    await stack.operator.updateKey({ keyId: own.keyId, models: { values: ["test-hear"] } });
    await expect
      .poll(async () => (await ocrClient(stack, own).readJob(jobId, "test-read")).status)
      .toBe(404);
    const refused = await liveClient(stack, own).start({ model: "test-hear-late" });
    expect(await refused.closed).toBe(1_008);
    expect(refused.frames).toMatchObject([{ error: { code: "model_not_found" } }]);
    const served = await liveClient(stack, own).start();
    served.socket.send(JSON.stringify({ action: "flush" }));
    expect(await served.closed).toBe(1_000);
  });

  test("may name a hundred long globs, also for uploads", async () => {
    const long = Array.from({ length: 99 }, (_, index) => `${index}*`.padStart(200, "x"));
    const own = await newKey(...long, "test-h*");
    expect((await transcriptionClient(stack, own).transcribe()).status).toBe(200);
    const refused = await ocrClient(stack, own).read([imageFile, modelPart("test-read")]);
    expectEnvelope(refused, 404, "model_not_found", "model");
  });

  test("lists and shows them only", async () => {
    const own = await newKey("test-hear*", "test-unlisted", "test-hear-internal");
    const list = await send(`${stack.url}/v1/models`, { key: own.key });
    const ids = (list.body as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(5);
    expect(ids.filter((id) => !id.startsWith("test-hear"))).toEqual([]);
    expect(ids).not.toContain("test-hear-internal");
    const shown = await send(`${stack.url}/v1/models/test-hear`, { key: own.key });
    expect(shown.status).toBe(200);
    for (const alias of ["test-small", "test-unlisted", "test-hear-internal"]) {
      const hidden = await send(`${stack.url}/v1/models/${alias}`, { key: own.key });
      expectEnvelope(hidden, 404, "model_not_found");
    }
    expect((await send(`${stack.url}/v1/models/test-small`)).status).toBe(200);
  });

  test("calls an unlisted model that it names, and other keys do not", async () => {
    const body = chatBody({ model: "test-unlisted" });
    const call = ({ key }: TestAccount) => send(`${stack.url}/v1/chat/completions`, { key, body });
    expect((await call(await newKey("test-unlisted"))).status).toBe(200);
    for (const own of [await newKey("*"), await newKey("test-unl*"), await stack.newAccount(1)]) {
      expectEnvelope(await call(own), 404, "model_not_found", "model");
    }
    const internal = await newKey("test-internal");
    const refused = await send(`${stack.url}/v1/chat/completions`, {
      key: internal.key,
      body: chatBody({ model: "test-internal" }),
    });
    expectEnvelope(refused, 404, "model_not_found", "model");
  });

  test("continues a conversation with its models only", async () => {
    const own = await newKey("test-small");
    const client = conversationClient(stack, own);
    const id = randomUUID();
    expect((await client.say(id, "Hello")).status).toBe(200);
    const refused = await client.say(id, "Again", { model: "test-vision" });
    expectEnvelope(refused, 404, "model_not_found", "model");
    expect((await client.say(id, "Again")).status).toBe(200);
  });
});
