import { type OtherRoute, type RouteKind, routeKinds, routeVariants } from "../route-kinds.ts";
import {
  embeddingsModel,
  imageModel,
  reader,
  searches,
  slot,
  speechModel,
  transcriber,
  unitModel,
} from "./entries.ts";

/** A model of each route at a provider of OpenAI's wire, with commands. */
const forwarded: Record<OtherRoute, (alias: string, commands: string) => Entry> = {
  embeddings: (alias, commands) => embeddingsModel(alias, `embed${commands}`),
  rerank: (alias, commands) => unitModel("rerank", alias, `rerank${commands}`, searches),
  images: (alias, commands) => imageModel(alias, `image${commands}`),
  speech: (alias, commands) => speechModel(alias, `voice${commands}`),
  transcriptions: (alias, commands) => transcriber(alias, `hear${commands}`),
  ocr: (alias, commands) => ({ ...reader("read", commands.slice(1)), alias }),
};

interface Entry {
  chain: object[];
}

/** Models of every kind and route, named `kind-KIND-ROUTE-VARIANT`, with a second slot. */
export function routeKindModels(): Entry[] {
  return routeKinds.flatMap((row) => {
    const alias = `kind-${row.kind}-${row.route}`;
    const model = forwarded[row.route];
    const own = (commands: string) => slot(row.kind, modelWith(row, commands));
    const [second, first] = [model("", ""), model("", "?status=503")];
    return [
      ...Object.entries(routeVariants).map(([variant, commands]) => ({
        ...model(`${alias}${variant}`, ""),
        chain: [own(commands), ...second.chain],
      })),
      { ...model(`${alias}-second`, ""), chain: [...first.chain, own("")] },
    ];
  });
}

/** Deepgram's model of speech is its voice, which a request names, with the commands. */
function modelWith({ kind, route, model }: RouteKind, commands: string): string {
  return kind === "deepgram" && route === "speech" ? model : `${model}${commands}`;
}
