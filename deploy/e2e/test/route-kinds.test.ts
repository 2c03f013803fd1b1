import { describe, expect, test } from "vitest";
import { wav } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import type { HttpResponse } from "../src/http-response.ts";
import { entryOf } from "../src/ledger.ts";
import { ocrClient } from "../src/ocr-client.ts";
import { imageFile, modelField } from "../src/ocr-form.ts";
import { expectEnvelope, requestIdOf, send } from "../src/request.ts";
import {
  type OtherRoute,
  type RouteKind,
  type RouteVariant,
  routeKinds,
  routeVariants,
} from "../src/route-kinds.ts";
import { sharedStack } from "../src/shared-stack.ts";
import { transcriptionClient } from "../src/transcription-client.ts";

const { stack, account } = await sharedStack({ creditUsd: 10 });

function post(path: string, body: object): Promise<HttpResponse> {
  return send(`${stack.url}${path}`, { key: account.key, body });
}

/** A request of each route, what it returns, and what is billed. */
const requests: Record<
  OtherRoute,
  {
    send(model: string, voice: string): Promise<HttpResponse>;
    returns: object | RegExp;
    unitType: string;
    quantity: bigint;
  }
> = {
  embeddings: {
    send: (model) => post("/v1/embeddings", { model, input: "Hello there" }),
    returns: { object: "list", data: [{ index: 0 }] },
    unitType: "tokens",
    quantity: 3n,
  },
  rerank: {
    send: (model) => post("/v1/rerank", { model, query: "red", documents: ["blue", "red"] }),
    returns: { results: [{ index: 1 }, { index: 0 }] },
    unitType: "searches",
    quantity: 1n,
  },
  images: {
    send: (model) => post("/v1/images/generations", { model, prompt: "a cat" }),
    returns: { data: [{ url: expect.any(String) }], usage: { images: 1 } },
    unitType: "images",
    quantity: 1n,
  },
  speech: {
    send: (model, voice) => post("/v1/audio/speech", { model, voice, input: "Hello there" }),
    returns: /./s,
    unitType: "chars",
    quantity: 11n,
  },
  transcriptions: {
    send: (model) => transcriptionClient(stack, account).transcribe({ model }, wav(3)),
    returns: { text: expect.any(String) },
    unitType: "audio_seconds",
    quantity: 3n,
  },
  ocr: {
    send: (alias) => ocrClient(stack, account).read([modelField(alias), imageFile]),
    returns: {},
    unitType: "pages",
    quantity: 1n,
  },
};

/** Sends the request of a row to its model, as the slot of the kind behaves in the variant. */
function ask({ kind, route, voice = "alto" }: RouteKind, variant: RouteVariant) {
  // Deepgram's model of speech is its voice, also of the commands.
  const isVoice = kind === "deepgram" && route === "speech" && variant !== "-second";
  const commands = isVoice ? routeVariants[variant] : "";
  return requests[route].send(`kind-${kind}-${route}${variant}`, `${voice}${commands}`);
}

async function expectServedBy(response: HttpResponse, row: RouteKind, provider: string) {
  const { returns, unitType, quantity } = requests[row.route];
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  if (returns instanceof RegExp) expect(response.text).toMatch(returns);
  else expect(response.body).toMatchObject(returns);
  await eventually(async () => {
    const entry = await entryOf(stack, account, requestIdOf(response));
    expect(entry).toMatchObject({ provider, unitType, quantity });
    expect(entry?.amountNanoUsd).toBeLessThan(0n);
  });
}

describe.each(
  routeKinds.map((row) => [row.route, row.kind, row] as const),
)("%s by %s", (_route, _kind, row) => {
  test("are returned, and billed as the provider counts them", async () => {
    await expectServedBy(await ask(row, ""), row, row.kind);
  });

  test.each([
    "-down",
    "-cut",
  ] as const)("come from the next slot where its own is %s", async (variant) => {
    await expectServedBy(await ask(row, variant), row, "sim");
  });

  test("are returned where the slot before it is down", async () => {
    await expectServedBy(await ask(row, "-second"), row, row.kind);
  });

  test("are refused in the provider's words, by no other slot", async () => {
    const response = await ask(row, "-invalid");
    expectEnvelope(response, 502, "upstream_rejected");
    expect(response.text).toContain("that is no good");
  });

  // The last one: a slot that limits is not called for a second, and Deepgram's variants share one.
  test("come from the next slot where its own limits the rate", async () => {
    await expectServedBy(await ask(row, "-limited"), row, "sim");
  });
});
