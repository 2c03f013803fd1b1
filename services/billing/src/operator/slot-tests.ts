import { withEachKey } from "@tollgate/catalog/key-pool";
import type { Catalog, Model, Provider } from "@tollgate/catalog/model";
import type { RouteType } from "@tollgate/catalog/route-types";
import { GatewayError, invalidParam } from "@tollgate/core/errors";
import { isPublicUrl } from "@tollgate/core/public-host";
import { hidesReasoning } from "@tollgate/list-prices/hidden-reasoning-models";
import { type ListPrices, type ListRates, loadListPrices } from "@tollgate/list-prices/list-prices";
import type { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type {
  SlotTest,
  SlotTestResult,
  UnsavedCatalog,
} from "@tollgate/proto/tollgate/v1/slot_test";
import { readCatalogParam } from "@tollgate/providers/catalog-param";
import type { Implementation } from "@tollgate/rpc/implementation";
import { recordChange } from "../audit.ts";
import type { OperatorParts } from "./parts.ts";
import type { ProviderServices } from "./provider-services.ts";

const maxTextCharacters = 1024 * 1024;
const maxKeyCharacters = 8_192;
/** Longer than a test takes, and shorter than the call of a console. */
const timeoutMs = 50_000;

/** The operator's calls that try providers. They cost the operator money, so their rate is limited. */
export function implementSlotTests(parts: OperatorParts) {
  const { prisma, catalog, actor, now, testRate } = parts;
  return {
    async testSlot({ test }) {
      if (test === undefined) throw invalidParam("test", "is required");
      const tried = triedCatalog(test.unsaved, catalog());
      const model = tried.models.get(test.alias);
      if (model === undefined) {
        const message = `The catalog has no model ${JSON.stringify(test.alias.slice(0, 128))}.`;
        throw new GatewayError("not_found", message, { param: "alias" });
      }
      testRate.take();
      const result = await testAt(parts.services, model, test);
      await recordChange(prisma, actor, {
        ...{ action: "TestSlot", subjectKind: "slot", subjectId: result?.slot || test.slot },
        after: {
          alias: test.alias,
          is_unsaved: test.unsaved !== undefined,
          ...(result && {
            is_served: result.isServed,
            status: result.status,
            cost_nano_usd: String(result.costNanoUsd),
          }),
        },
      });
      return result === undefined ? {} : { result };
    },
    async listProviderModels(request) {
      const { provider: name, unsaved } = request;
      const provider = triedCatalog(unsaved, catalog()).providers.get(name);
      if (provider === undefined) {
        const message = `The catalog has no provider ${JSON.stringify(name.slice(0, 64))}.`;
        throw new GatewayError("not_found", message, { param: "provider" });
      }
      testRate.take();
      const forwarded = { provider: name, ...(unsaved && { unsaved }) };
      const found = await parts.services.chat.listChatProviderModels(
        { request: forwarded },
        { timeoutMs },
      );
      const { models = [], error = "", status = 0 } = found.response ?? {};
      await recordChange(prisma, actor, {
        ...{ action: "ListProviderModels", subjectKind: "provider", subjectId: name },
        after: { is_unsaved: unsaved !== undefined, status, models: models.length },
      });
      const prices = await loadListPrices(now());
      return { models: models.map(({ id }) => listed(id, provider, prices)), error, status };
    },
  } satisfies Partial<Implementation<typeof OperatorService>>;
}

async function testAt(
  { chat, document, image, audio }: ProviderServices,
  { routeType }: Model,
  test: SlotTest,
): Promise<SlotTestResult | undefined> {
  const tests: Readonly<Record<RouteType, () => Promise<{ result?: SlotTestResult | undefined }>>> =
    {
      chat: () => chat.testChatSlot({ test }, { timeoutMs }),
      embeddings: () => chat.testChatSlot({ test }, { timeoutMs }),
      rerank: () => document.testDocumentSlot({ test }, { timeoutMs }),
      classification: () => document.testDocumentSlot({ test }, { timeoutMs }),
      ocr: () => document.testDocumentSlot({ test }, { timeoutMs }),
      images: () => image.testImageSlot({ test }, { timeoutMs }),
      speech: () => audio.testAudioSlot({ test }, { timeoutMs }),
      transcriptions: () => audio.testAudioSlot({ test }, { timeoutMs }),
    };
  return (await tests[routeType]()).result;
}

/** Returns the catalog to try. Throws `invalid_param` for an unsaved one that may not be tried. */
function triedCatalog(unsaved: UnsavedCatalog | undefined, inUse: Catalog): Catalog {
  if (unsaved === undefined) return inUse;
  const { text, apiKey } = unsaved;
  if (text.length > maxTextCharacters) throw invalidParam("text", "must be at most 1 MiB");
  if (apiKey.length > maxKeyCharacters || !/^[\x21-\x7e]*$/.test(apiKey)) {
    throw invalidParam("api_key", "must have printable ASCII characters, 8192 at most");
  }
  const catalog = readCatalogParam(text);
  for (const provider of catalog.providers.values()) {
    checkAddress(provider, inUse);
    checkConnection(provider, inUse);
  }
  const tried = apiKey === "" ? [...catalog.providers.values()].flatMap(withEachKey) : [];
  for (const one of tried) checkKey(one, inUse);
  return catalog;
}

/**
 * Throws for a provider at an address that is not public, unless the catalog in use has one there. Otherwise
 * an operator who tries a draft could read what the gateway's own network serves.
 */
function checkAddress({ name, baseUrl, baseUrlEnv }: Provider, inUse: Catalog): void {
  const known = [...inUse.providers.values()];
  if (baseUrlEnv !== undefined) {
    if (known.some((one) => one.baseUrlEnv === baseUrlEnv)) return;
    const problem = "is a variable that no provider of the catalog in use has";
    throw invalidParam("text", `providers.${name}.base_url_env: ${problem}`);
  }
  if (baseUrl === undefined || isPublicUrl(baseUrl)) return;
  const { origin } = new URL(baseUrl);
  if (known.some((one) => originOf(one) === origin)) return;
  const problem =
    "is at a private address, which is called once a published catalog has a provider there";
  throw invalidParam("text", `providers.${name}.base_url: ${problem}`);
}

/**
 * Throws for a proxy or certificates that the catalog in use does not have for the same address. A proxy is an
 * address, too, and files are those of the gateway.
 */
function checkConnection(provider: Provider, inUse: Catalog): void {
  const { name, proxy, proxyEnv, tls } = provider;
  const usesProxy = proxyEnv !== undefined || (proxy !== undefined && proxy !== "none");
  if (!usesProxy && tls === undefined) return;
  const isKnown = [...inUse.providers.values()].some(
    (one) =>
      one.baseUrlEnv === provider.baseUrlEnv &&
      originOf(one) === originOf(provider) &&
      isSameConnection(one, provider),
  );
  if (isKnown) return;
  const problem = "its proxy and its files cannot be tried before they are published";
  throw invalidParam("text", `providers.${name}: ${problem}`);
}

function isSameConnection(one: Provider, other: Provider): boolean {
  const { ca, cert, key } = one.tls ?? {};
  return (
    one.proxy === other.proxy &&
    one.proxyEnv === other.proxyEnv &&
    ca === other.tls?.ca &&
    cert === other.tls?.cert &&
    key === other.tls?.key
  );
}

/**
 * Throws for a stored key, or one in a variable, that would be sent to another address than its own, and for the
 * gateway's identity at an address that is not its vendor's.
 */
function checkKey(provider: Provider, inUse: Catalog): void {
  const { name, secret, apiKeyEnv, kind, baseUrl } = provider;
  const hasNone = secret === undefined && apiKeyEnv === undefined;
  if (hasNone && kind.variables === undefined && kind.identity === undefined) return;
  if (hasNone && baseUrl !== undefined && kind.identity?.isVendorAddress(baseUrl)) return;
  const known = [...inUse.providers.values()].flatMap(withEachKey);
  if (known.some((one) => isSameCredential(one, provider))) return;
  if (originOf(provider) === originOfUrl(kind.defaultBaseUrl) && secret !== undefined) return;
  const credential = provider.identity === undefined ? "enter the key: a key" : "the identity";
  throw invalidParam(
    "text",
    `providers.${name}: ${credential} of the gateway is sent only where the catalog in use sends it`,
  );
}

/** Whether two providers are sent one key, or are called by one identity, at one address. */
function isSameCredential(one: Provider, other: Provider): boolean {
  return (
    one.secret === other.secret &&
    one.apiKeyEnv === other.apiKeyEnv &&
    JSON.stringify(one.identity) === JSON.stringify(other.identity) &&
    one.baseUrlEnv === other.baseUrlEnv &&
    originOf(one) === originOf(other)
  );
}

function originOf({ baseUrl }: Provider): string | undefined {
  return originOfUrl(baseUrl);
}

function originOfUrl(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;
}

/** Returns a model with its list prices, found by the address or by the name of its provider. */
function listed(id: string, { baseUrl, name }: Provider, prices: ListPrices) {
  const byUrl = baseUrl === undefined ? undefined : prices.findByUrl(baseUrl, id);
  const found = byUrl ?? prices.find(name, id);
  const model = { id, hidesReasoning: hidesReasoning(id) };
  if (found === undefined) return model;
  const { contextTokens, rates, tiers } = found;
  return {
    ...model,
    ...(contextTokens === undefined ? {} : { contextTokens: BigInt(contextTokens) }),
    listPrices: [
      ...pricesOf(rates, 0),
      ...tiers.flatMap(({ aboveInputTokens, rates }) => pricesOf(rates, aboveInputTokens)),
    ],
  };
}

function pricesOf(rates: ListRates, aboveInputTokens: number) {
  return [...rates].map(([dimension, { picoUsd, per }]) => ({
    ...{ dimension, per, pricePicoUsd: picoUsd, listPricePicoUsd: picoUsd },
    aboveInputTokens: BigInt(aboveInputTokens),
  }));
}
