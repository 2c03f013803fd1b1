import { anthropic } from "./anthropic/vendor.ts";
import { azure } from "./azure/vendor.ts";
import { bedrock } from "./bedrock/vendor.ts";
import { cohere } from "./cohere/vendor.ts";
import { deepgram } from "./deepgram/vendor.ts";
import { elevenlabs } from "./elevenlabs/vendor.ts";
import { google } from "./google/vendor.ts";
import { jina } from "./jina/vendor.ts";
import { mistral } from "./mistral/vendor.ts";
import { openai } from "./openai/vendor.ts";
import type { Vendor } from "./vendor.ts";
import { vertex } from "./vertex/vendor.ts";
import { voyage } from "./voyage/vendor.ts";
import { xai } from "./xai/vendor.ts";

/** The kinds of providers by their names. A provider of the catalog that names none is of the first. */
export const vendors = {
  openai,
  azure,
  anthropic,
  google,
  vertex,
  mistral,
  cohere,
  voyage,
  jina,
  elevenlabs,
  deepgram,
  xai,
  bedrock,
} as const satisfies Readonly<Record<string, Vendor>>;
