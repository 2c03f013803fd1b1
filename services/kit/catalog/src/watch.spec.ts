import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartError } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { testKinds } from "../test/kinds.ts";
import { type CatalogWatch, hashOfText, watchCatalog } from "./watch.ts";

const error = vi.fn();
const log: Log = { debug() {}, info() {}, warn() {}, error, child: () => log };
let folder: string;
let file: string;
let watch: CatalogWatch | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tollgate-catalog-"));
  file = join(folder, "catalog.yaml");
  error.mockClear();
});

afterEach(async () => {
  watch?.close();
  await rm(folder, { recursive: true, force: true });
});

function catalogOf(alias: string): string {
  return `
providers: { p: { base_url: "http://localhost:1/v1" } }
models:
  - { alias: ${alias}, route_type: rerank, pricing: { per: 1, price: "0.01" },
      chain: [{ provider: p, model: m }] }
`;
}

function aliases(): string[] {
  return [...(watch?.current().catalog.models.keys() ?? [])];
}

test("a valid new version replaces the catalog, and an invalid one does not", async () => {
  await writeFile(file, catalogOf("first"));
  watch = await watchCatalog(file, { kinds: testKinds, log });
  expect(aliases()).toEqual(["first"]);
  await writeFile(file, catalogOf("second"));
  await vi.waitFor(() => expect(aliases()).toEqual(["second"]), { timeout: 5_000 });
  await writeFile(file, "models: [");
  await vi.waitFor(() => expect(error).toHaveBeenCalled(), { timeout: 5_000 });
  expect(aliases()).toEqual(["second"]);
  expect(watch.refusal()).toEqual({
    hash: hashOfText("models: ["),
    reason: expect.stringMatching(/not YAML/),
  });
  await writeFile(file, catalogOf("third"));
  await vi.waitFor(() => expect(aliases()).toEqual(["third"]), { timeout: 5_000 });
  expect(watch.refusal()).toBeUndefined();
});

test("a version that is taken back is not refused any more", async () => {
  await writeFile(file, catalogOf("first"));
  watch = await watchCatalog(file, { kinds: testKinds, log });
  await writeFile(file, "models: [");
  await vi.waitFor(() => expect(watch?.refusal()).toBeDefined(), { timeout: 5_000 });
  await writeFile(file, catalogOf("first"));
  await vi.waitFor(() => expect(watch?.refusal()).toBeUndefined(), { timeout: 5_000 });
  expect(aliases()).toEqual(["first"]);
});

test("a catalog that `check` refuses is not used", async () => {
  await writeFile(file, catalogOf("first"));
  const check = async () => {
    throw new StartError("no key for p");
  };
  await expect(watchCatalog(file, { kinds: testKinds, log, check })).rejects.toThrow(
    /catalog\.yaml: no key for p/,
  );
});
