import { lookup } from "node:dns";
import OpenAI from "openai";
import { Agent, fetch, type RequestInit } from "undici";
import { models } from "../load/models.ts";
import { forwardPort } from "../port-forward.ts";
import type { Release } from "../release.ts";
import { routesFromHere } from "./ingress.ts";
import type { ClusterStep } from "./step.ts";

/** The `openai` package on this machine, through a forwarded port of the edge's Service. */
export const sdkThroughService: ClusterStep = {
  name: "sdk-service",
  async run({ release }) {
    const { url, stop } = await forwardPort(release, "tollgate-edge", 8080);
    try {
      return { note: await useSdk(release, url) };
    } finally {
      stop();
    }
  },
};

export const sdkThroughIngress: ClusterStep = {
  name: "sdk-ingress",
  async run({ options: { ingress }, release }) {
    if (ingress === undefined) return { skipped: "no --ingress-class" };
    const { hostname, protocol, port } = new URL(ingress.url);
    // Connects to the address of the ingress, whatever DNS says of the host.
    const dispatcher = new Agent({
      connect: { lookup: (_, options, done) => lookup(hostname, options, done) },
    });
    const url = `${protocol}//${release.ingressHost}${port && `:${port}`}`;
    const fetchThere = ((input: string, init: RequestInit) =>
      fetch(input, { ...init, dispatcher })) as unknown as typeof globalThis.fetch;
    await routesFromHere(fetchThere, url);
    return { note: await useSdk(release, url, fetchThere) };
  },
};

async function useSdk(
  release: Release,
  url: string,
  fetchThere = globalThis.fetch,
): Promise<string> {
  const connect = (apiKey: string) =>
    new OpenAI({ apiKey, baseURL: `${url}/v1`, fetch: fetchThere, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "Hello" }];
  const client = connect(await release.newKey(1));
  const response = await client.chat.completions.create({ model: models.json, messages });
  if (!response.choices[0]?.message.content) throw new Error("the response has no content");
  const stream = await client.chat.completions.create({
    model: models.stream,
    messages,
    stream: true,
  });
  let chunks = 0;
  for await (const _ of stream) chunks += 1;
  if (chunks < 10) throw new Error(`a stream had ${chunks} chunks`);
  const refusals = [
    await statusOf(connect("sk-tollgate-wrong"), messages),
    await statusOf(connect(await release.newKey(0)), messages),
  ];
  if (refusals.join() !== "401,402") {
    throw new Error(`a wrong key and an empty wallet returned ${refusals}`);
  }
  return `JSON, a stream of ${chunks} chunks, 401, 402`;
}

async function statusOf(
  client: OpenAI,
  messages: { role: "user"; content: string }[],
): Promise<number | undefined> {
  try {
    await client.chat.completions.create({ model: models.json, messages });
    return 200;
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error.status;
    throw error;
  }
}
