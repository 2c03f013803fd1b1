/** Returns a chat model of the test catalog, with `more` members. */
export function chatModel(alias: string, chain: object[], more: object = {}) {
  return {
    alias,
    route_type: "chat",
    context_tokens: 32_768,
    max_output_tokens: 4_096,
    pricing: { per: 1_000_000, input: "0.15", output: "0.60" },
    chain,
    ...more,
  };
}

/** Returns a slot. The simulator's commands follow the `?` of its model id. */
export function slot(provider: string, model: string) {
  return { provider, model };
}

/** The price of a search. */
export const searches = { per: 1_000, price: "2.00" };

/** Returns a model of embeddings. */
export function embeddingsModel(alias: string, model: string) {
  const pricing = { per: 1_000_000, input: "0.02" };
  return { alias, route_type: "embeddings", pricing, chain: [slot("sim", model)] };
}

/** Returns a model that is billed by the piece. */
export function unitModel(route_type: string, alias: string, model: string, pricing: object) {
  return { alias, route_type, pricing, chain: [slot("sim", model)] };
}

/** Returns a classifier. */
export function taxonomyModel(alias: string, model: string, taxonomies: string[]) {
  const pricing = { per: 1_000, price: "0.50" };
  return { ...unitModel("classification", alias, model, pricing), lane: "taxonomy", taxonomies };
}

/** Returns a model of images, with the price of one. */
export function imageModel(alias: string, model: string, price = "0.04") {
  return unitModel("images", alias, model, { per: 1, price });
}

/** Returns a model of speech. */
export function speechModel(alias: string, model: string, response_formats?: string[]) {
  const pricing = { per: 1_000, price: "0.015" };
  return { ...unitModel("speech", alias, model, pricing), max_characters: 400, response_formats };
}

/** The model and its commands are in the URLs. */
export function transcriber(alias: string, model: string, more: object = {}) {
  const query = `?model=${encodeURIComponent(model)}`;
  const paths = { path: `/audio/transcriptions${query}`, stream_path: `/audio/stream${query}` };
  const pricing = { per: 1, price: "0.0001" };
  const chain = [{ ...slot("sim", model), ...paths }];
  return { alias, route_type: "transcriptions", language: "auto", pricing, chain, ...more };
}

/** The commands are in the URL, since the form is passed on unchanged. */
export function reader(alias: string, commands: string, more: object = {}) {
  const path = `/ocr?simulate=${encodeURIComponent(commands)}`;
  const pricing = { per: 1_000, price: "1.50" };
  const chain = [{ ...slot("sim", alias), path }];
  return { alias, route_type: "ocr", lane: "print", pricing, chain, ...more };
}

/** The same model over a provider that fails, in each way that a client can tell apart. */
export function faulty(
  alias: string,
  model: (alias: string, upstream: string) => { chain: object[] },
) {
  return [
    model(`${alias}-failing`, "broken?status=500"),
    model(`${alias}-refused`, "refusing?status=400&message=no%20thanks"),
    model(`${alias}-garbage`, "garbled?garbage"),
    model(`${alias}-erring`, "erring?status=200"),
    {
      ...model(`${alias}-erring-first`, "x"),
      chain: [slot("sim", "erring-first?status=200"), slot("sim", "good")],
    },
    model(`${alias}-slow`, "slow?delay_ms=4000"),
    { ...model(`${alias}-dead`, "x"), chain: [slot("nowhere", "only")] },
    { ...model(`${alias}-internal`, "x"), visibility: "internal" },
  ];
}

/** The same model, after a slot that is unreachable, or that reads the upload and returns 503. */
export function after(how: "nowhere" | "busy", model: { chain: readonly object[] }) {
  const busy = { ...slot("sim", "busy"), path: "/ocr?simulate=status%3D503" };
  const first = how === "busy" ? busy : slot("nowhere", "x");
  return { ...model, chain: [first, ...model.chain] };
}
