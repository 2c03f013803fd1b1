import { StartError } from "@tollgate/core/errors";
import { describe, expect, test } from "vitest";
import { testKinds } from "../test/kinds.ts";
import { toCheckedCatalog } from "./parse.ts";

type Entry = Record<string, unknown>;

const slot = { provider: "near", model: "m", path: "/a", stream_path: "/s", jobs_path: "/j" };
const common = { visibility: "public", created: 1, owned_by: "me" };
const unit = {
  ...common,
  pricing: { per: 1, price: "1" },
  chain: [{ ...slot, voices_path: "/v" }],
};

const models: readonly Entry[] = [
  {
    ...common,
    alias: "house-chat",
    route_type: "chat",
    context_tokens: 5,
    max_output_tokens: 5,
    vision: true,
    image_tokens: 5,
    pricing: {
      per: 1_000_000,
      input: "1",
      cached_input: "1",
      output: "1",
      "tool:web_search": "1",
      tiers: [
        { above_input_tokens: 5, input: "1", output: "1" },
        { above_input_tokens: 6, input: "1", cache_write: "1", output: "1" },
      ],
    },
    chain: [{ ...slot, max_tokens_field: "max_tokens" }],
  },
  {
    ...common,
    alias: "house-embed",
    route_type: "embeddings",
    context_tokens: 5,
    pricing: { input: "1" },
    chain: [{ ...slot, pricing: { input: "1" } }],
  },
  {
    ...unit,
    alias: "house-voice",
    route_type: "speech",
    max_characters: 5,
    response_formats: ["mp3"],
  },
  { ...unit, alias: "house-ears", route_type: "transcriptions", language: "auto" },
  { ...unit, alias: "house-rank", route_type: "rerank" },
  { ...unit, alias: "house-scan", route_type: "ocr", lane: "print" },
  {
    ...unit,
    alias: "house-labels",
    route_type: "classification",
    lane: "taxonomy",
    taxonomies: ["2.1"],
  },
  { ...unit, alias: "house-image", route_type: "images" },
];

const file: Entry = {
  providers: {
    near: { base_url: "https://near.test", api_key_env: "KEY", timeout_seconds: 5 },
    far: { base_url_env: "FAR_URL" },
  },
  models,
  limits: { requests_per_minute: 5, tokens_per_minute: 5 },
};

type Path = readonly (string | number)[];

/** Returns the paths of all values inside a value. */
function pathsIn(value: unknown, base: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => {
    const path = [...base, key];
    return [path, ...pathsIn((value as Record<string | number, unknown>)[key], path)];
  });
}

/** Returns the error of the file with another value at a path; undefined if it is valid. */
function errorOf(path: Path, value: unknown): string | undefined {
  // Not a structured clone, in which entries would share their chain.
  const copy = JSON.parse(JSON.stringify(file)) as Record<string | number, unknown>;
  let place = copy;
  for (const key of path.slice(0, -1)) place = place[key] as typeof place;
  const last = path.at(-1) as string | number;
  if (value === undefined) delete place[last];
  else place[last] = value;
  try {
    // As a YAML file has it: without undefined members, and with null in place of a deleted item.
    toCheckedCatalog(JSON.parse(JSON.stringify(copy)), testKinds);
    return undefined;
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
}

/** Returns a path as an error names it, with the alias of a model. */
function named(path: Path): string {
  const [top, index, ...rest] = path;
  const entry = typeof index === "number" ? models[index] : undefined;
  const parts = entry === undefined ? path : rest;
  const start = entry === undefined ? "" : `${top}[${index}] (${entry.alias})`;
  const text = parts.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return `${start}${text}`.replace(/^\./, "");
}

const wrongValues = [undefined, null, "", "x", -1, 1.5, 1e12, true, [], {}, [1], { a: 1 }];
const libraryWording =
  /Invalid|expected|received|Too (small|big)|Unrecognized|NaN|undefined|of another|is not valid/;

describe("errors of the catalog", () => {
  test.each(
    pathsIn(file).map((path) => [named(path), path] as const),
  )("name the path with its alias, and say what is allowed: %s", (name, path) => {
    for (const value of wrongValues) {
      const message = errorOf(path, value);
      if (message === undefined) continue;
      const label = `${JSON.stringify(value)}: ${message}`;
      expect(message, label).not.toMatch(libraryWording);
      expect(message, label).toMatch(/: (must |is required$|is not |.+ is used twice)/);
      // An entry with another alias, or without one, is named by what it has.
      if (path.length > 2 && path.at(-1) !== "alias") {
        const start = name.slice(0, name.indexOf(")") + 1);
        expect(message.startsWith(start), label).toBe(true);
      }
    }
  });

  test.each<[Path, unknown, string]>([
    [["models", 1, "pricing"], 5, "models[1] (house-embed).pricing: must be an object"],
    [["models", 1, "pricing"], undefined, "models[1] (house-embed).pricing: is required"],
    [
      ["models", 0, "vision"],
      null,
      "models[0] (house-chat).vision: must be true or false, and is empty",
    ],
    [
      ["models", 2, "chain", 0, "provider"],
      "x",
      'models[2] (house-voice).chain[0].provider: must be the name of a provider, and "x" is none',
    ],
    [
      ["models", 3, "alias"],
      "house-chat",
      "models[3] (house-chat).alias: house-chat is used twice",
    ],
    [["models", 3, "alias"], 5, "models[3].alias: must be a string"],
    [["models", 3], "x", "models[3]: must be an object"],
    [
      ["models", 3, "language"],
      "de",
      'models[3] (house-ears).language: must be one of "required", "auto"',
    ],
    [
      ["models", 2, "max_characters"],
      0,
      "models[2] (house-voice).max_characters: must be at least 1",
    ],
    [
      ["models", 5, "chain", 0, "path"],
      "a",
      'models[5] (house-scan).chain[0].path: must start with "/"',
    ],
    [
      ["models", 0, "pricing", "cache_writes"],
      "1",
      "models[0] (house-chat).pricing.cache_writes: is not a field of the catalog",
    ],
    [
      ["models", 0, "pricing", "cache_write"],
      1,
      'models[0] (house-chat).pricing.cache_write: must be a price in quotes, for instance "0.15"',
    ],
    [
      ["models", 0, "pricing", "tool:web_search"],
      0.01,
      'models[0] (house-chat).pricing.tool:web_search: must be a price in quotes, for instance "0.15"',
    ],
    [
      ["models", 0, "pricing", "tool:Web Search"],
      "1",
      "models[0] (house-chat).pricing.tool:Web Search: is not a field of the catalog",
    ],
    [
      ["models", 0, "pricing", "tiers", 1, "above_input_tokens"],
      5,
      "models[0] (house-chat).pricing.tiers[1].above_input_tokens: must be more than that of the " +
        "tier before",
    ],
    [
      ["models", 0, "pricing", "tiers", 0, "output"],
      undefined,
      "models[0] (house-chat).pricing.tiers[0].output: is required",
    ],
    [
      ["models", 0, "pricing", "tiers", 0, "tool:x"],
      "1",
      "models[0] (house-chat).pricing.tiers[0].tool:x: is not a field of the catalog",
    ],
    [
      ["models", 1, "pricing", "tiers"],
      [],
      "models[1] (house-embed).pricing.tiers: is not a field of the catalog",
    ],
    [["models", 7, "colour"], 1, "models[7] (house-image).colour: is not a field of the catalog"],
    [
      ["providers", "near", "timeout_seconds"],
      0,
      "providers.near.timeout_seconds: must be more than 0",
    ],
    [
      ["providers", "Near!"],
      { base_url: "https://a.test" },
      "providers.Near!: must be named by 1 to 64 lower-case letters, digits, _ and -",
    ],
  ])("at %j with %j: %s", (path, value, message) => {
    expect(errorOf(path, value)).toBe(message);
  });
});
