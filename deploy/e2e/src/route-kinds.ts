import type { RouteType } from "@tollgate/catalog/route-types";
import { vendors } from "@tollgate/providers";

type VendorName = keyof typeof vendors;

export type OtherRoute = Exclude<RouteType, "chat" | "classification">;

/** A route other than chat, by a kind other than `openai`. */
export interface RouteKind {
  readonly kind: VendorName;
  readonly route: OtherRoute;
  /** The provider's model in the test catalog. */
  readonly model: string;
  /** Of speech. */
  readonly voice?: string;
}

/** The models, and the voices of speech. Deepgram's model of speech is its voice. */
const models: { readonly [Kind in VendorName]?: { readonly [Route in OtherRoute]?: string } } = {
  azure: { embeddings: "embed", images: "image", transcriptions: "gpt-4o-transcribe" },
  google: {
    embeddings: "embed",
    images: "gemini-2.5-flash-image",
    speech: "gemini-2.5-flash-preview-tts",
  },
  vertex: { embeddings: "embed", images: "gemini-2.5-flash-image" },
  mistral: { embeddings: "embed", ocr: "mistral-ocr-latest" },
  cohere: { embeddings: "embed", rerank: "rerank" },
  voyage: { embeddings: "embed", rerank: "rerank" },
  jina: { embeddings: "embed", rerank: "rerank" },
  elevenlabs: { speech: "eleven_v2", transcriptions: "scribe_v2" },
  deepgram: { speech: "aura-2", transcriptions: "nova-3" },
  xai: { images: "grok-2-image" },
  bedrock: { rerank: "rerank" },
};

const voices: { readonly [Kind in VendorName]?: string } = {
  google: "Kore",
  elevenlabs: "alto",
  deepgram: "aura-2-thalia-en",
};

/** A row for each kind and route that the table of kinds has. Throws for one without a model here. */
export const routeKinds: readonly RouteKind[] = Object.entries(vendors).flatMap(
  ([name, { paths }]) => {
    const kind = name as VendorName;
    if (kind === "openai") return [];
    return (Object.keys(paths) as RouteType[]).flatMap((route) => {
      if (route === "chat" || route === "classification") return [];
      const model = models[kind]?.[route];
      if (model === undefined) throw new Error(`no model of ${kind} for ${route} is in the table`);
      const voice = route === "speech" ? voices[kind] : undefined;
      return { kind, route, model, ...(voice === undefined ? {} : { voice }) };
    });
  },
);

/** The simulator's commands of the slot of a kind, by the end of the alias. */
export const routeVariants = {
  "": "",
  "-limited": "?status=429",
  "-down": "?status=503",
  "-cut": "?cut_after=0",
  "-invalid": "?status=400&message=that%20is%20no%20good",
} as const;

export type RouteVariant = keyof typeof routeVariants | "-second";
