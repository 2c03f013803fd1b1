import { describe, expect, test } from "vitest";
import { wav } from "../src/audio-files.ts";
import { chatBody, send } from "../src/request.ts";
import { allowedOrigin, sharedStack } from "../src/shared-stack.ts";
import { audioForm } from "../src/transcription-client.ts";

const origin = allowedOrigin;

const { stack, account } = await sharedStack({ creditUsd: 1 });

describe("a web page of another origin", () => {
  const preflight = (path: string, from: string = origin) =>
    fetch(`${stack.url}${path}`, {
      method: "OPTIONS",
      headers: {
        origin: from,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-stainless-lang",
      },
    });

  test("may send its key and headers of its own, without a key on the preflight", async () => {
    const { status, headers } = await preflight("/v1/chat/completions");
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-methods")).toBe("POST");
    expect(headers.get("access-control-allow-headers")).toBe(
      "authorization,content-type,x-stainless-lang",
    );
    expect(headers.get("access-control-max-age")).toBe("7200");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.get("vary")).toContain("Origin");
    expect(headers.get("x-request-id")).toMatch(/^req_/);
    const conversations = await preflight("/v1/conversations/1");
    expect(conversations.headers.get("access-control-allow-methods")).toBe("GET,HEAD,DELETE");
  });

  test("may read responses, errors, streams and uploads, with their headers", async () => {
    const chat = `${stack.url}/v1/chat/completions`;
    const upload = new Response(audioForm(wav(1), { model: "test-hear" }));
    const headers = { origin, "content-type": upload.headers.get("content-type") ?? "" };
    const { key } = account;
    const responses = [
      await send(chat, { key, body: chatBody(), headers: { origin } }),
      await send(chat, { key, body: chatBody({ stream: true }), headers: { origin } }),
      await send(chat, { key, body: chatBody({ foo: 1 }), headers: { origin } }),
      await send(chat, { key: "sk-tollgate-unknown", body: chatBody(), headers: { origin } }),
      await send(`${stack.url}/v1/nothing`, { headers: { origin } }),
      await send(`${stack.url}/v1/audio/transcriptions`, {
        key,
        body: new Uint8Array(await upload.arrayBuffer()),
        headers,
      }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400, 401, 404, 200]);
    for (const { headers } of responses) {
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      const exposed = headers.get("access-control-expose-headers") ?? "";
      for (const name of ["x-request-id", "x-ratelimit-remaining-tokens", "Retry-After"]) {
        expect(exposed.split(",")).toContain(name);
      }
    }
  });

  test("of an origin that is not listed may read nothing", async () => {
    const other = "https://other.example.com";
    const refused = await preflight("/v1/chat/completions", other);
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    const url = `${stack.url}/v1/models`;
    const { headers } = await send(url, { headers: { origin: other } });
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("vary")).toContain("Origin");
  });

  test("gets a 404 for a preflight of an unknown path, and a 405 for another OPTIONS", async () => {
    expect((await preflight("/v1/nothing")).status).toBe(404);
    const options = { method: "OPTIONS", headers: { origin } };
    expect((await fetch(`${stack.url}/v1/models`, options)).status).toBe(405);
  });
});
