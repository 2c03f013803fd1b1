import { stringify } from "yaml";
import { parseCatalog } from "../src/parse.ts";
import { testKinds } from "./kinds.ts";

export type CatalogEntry = Record<string, unknown>;

/** The entry of a chat model. */
export const smallChat = {
  alias: "small",
  route_type: "chat",
  context_tokens: 32_768,
  image_tokens: 5_000,
  max_output_tokens: 4_096,
  pricing: { input: "0.10", cached_input: "0.05", output: "0.40" },
  chain: [{ provider: "near", model: "small-1" }],
};

/** A valid catalog of one provider and one model. */
export const valid = {
  providers: { near: { base_url: "http://127.0.0.1:9/v1/", api_key_env: "NEAR_KEY" } },
  models: [smallChat],
};

/** Parses a catalog of providers of the test kinds. */
export const parse = (text: string) => parseCatalog(text, testKinds);

/** Returns the valid catalog with changes to its provider and its model. */
export function catalogWith({
  provider = {},
  model = {},
}: {
  provider?: CatalogEntry;
  model?: CatalogEntry;
}): string {
  return stringify({
    providers: { near: { ...valid.providers.near, ...provider } },
    models: [{ ...smallChat, ...model }],
  });
}
