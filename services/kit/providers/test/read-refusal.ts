import { readRefusal } from "@tollgate/upstream/refusal";
import { vendors } from "../src/index.ts";

/** The name of a kind of providers. */
export type KindName = keyof typeof vendors;

/** Reads a refusal by a provider of a kind, as the provider client does. */
export function readRefusalOf(
  kind: KindName,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const head = { status, contentType: "application/json", headers };
  return readRefusal(head, asChunks(text), vendors[kind], () => ["sk-of-the-gateway"]);
}

async function* asChunks(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
