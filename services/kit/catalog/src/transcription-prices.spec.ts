import { expect, test } from "vitest";
import { testKinds } from "../test/kinds.ts";
import { toCheckedCatalog } from "./parse.ts";
import { catalogWarnings } from "./warnings.ts";

const bySecond = { per: 1, price: "0.0001" };
const byToken = { input: "2.5", audio_input: "6", output: "10" };
const providers = {
  raw: { base_url: "https://raw.test" },
  forms: { base_url: "https://forms.test", transcriptions: "multipart" },
  unsaid: { base_url: "https://api.forms.test/v1" },
  alike: { base_url: "https://notforms.test/v1" },
};

function parse(model: object, more: object = {}) {
  const entry = { alias: "a", route_type: "transcriptions", language: "auto", ...model };
  const limits = { requests_per_minute: 5, tokens_per_minute: 5 };
  return toCheckedCatalog(
    { providers: { ...providers, ...more }, models: [entry], limits },
    testKinds,
  );
}

const slot = (provider: string, model = "m") => ({ provider, model });

test("a transcriptions model is priced by the second, or by the token where tokens are reported", () => {
  const [timed] = [
    ...parse({ pricing: bySecond, chain: [slot("raw"), slot("forms")] }).models.values(),
  ];
  expect(timed).toMatchObject({ unitType: "audio_seconds" });
  expect(timed?.chain.map(({ measuresUnreported }) => measuresUnreported)).toEqual([false, true]);
  const [counted] = [...parse({ pricing: byToken, chain: [slot("forms")] }).models.values()];
  expect(counted).toMatchObject({
    unitType: "tokens",
    pricing: { audio_input: { picoUsd: 6_000_000_000_000n, per: 1_000_000n } },
  });
});

test.each([
  [{ ...byToken, output: undefined }, [slot("forms")], "pricing.output: is required"],
  [{ ...byToken, output: 10 }, [slot("forms")], "pricing.output: must be a price in quotes"],
  [{ ...byToken, cached_input: "1" }, [slot("forms")], "pricing.cached_input: is not a field"],
  [{ per: 1 }, [slot("forms")], "pricing.price: is required"],
  [
    byToken,
    [slot("forms"), slot("raw")],
    'pricing: must be by seconds, since "raw" does not report',
  ],
  [byToken, [{ ...slot("forms"), stream_path: "/s" }], "chain[0].stream_path: must not be set"],
  [bySecond, [{ ...slot("forms"), pricing: byToken }], "chain[0].pricing: must be by seconds"],
  [byToken, [{ ...slot("forms"), pricing: bySecond }], "chain[0].pricing: must be by tokens"],
])("prices that cannot be charged are refused: %j for %j", (pricing, chain, problem) => {
  expect(() => parse({ pricing, chain })).toThrow(`models[0] (a).${problem}`);
});

test("only kinds that know both wires take the name of one", () => {
  const model = { pricing: bySecond, chain: [slot("raw")] };
  expect(() => parse(model, { other: { kind: "closed", transcriptions: "raw" } })).toThrow(
    "providers.other.transcriptions: must not be set: only providers of the kind open",
  );
  expect(() =>
    parse(model, { other: { base_url: "https://a.test", transcriptions: "form" } }),
  ).toThrow("providers.other.transcriptions: must be one of");
});

test.each([
  [
    bySecond,
    slot("unsaid"),
    "api.forms.test takes files in a form: set transcriptions: multipart of the provider unsaid",
  ],
  [
    bySecond,
    slot("forms", "tokens-1"),
    "tokens-1 reports tokens, and is priced by seconds: set audio_tokens_per_second, or prices of tokens",
  ],
  [
    byToken,
    slot("forms", "seconds-1"),
    "seconds-1 reports seconds, and is priced by tokens, which are estimated",
  ],
  [bySecond, slot("forms", "seconds-1"), undefined],
  [byToken, slot("forms", "tokens-1"), undefined],
  [bySecond, slot("raw"), undefined],
  [bySecond, slot("alike"), undefined],
])("a wire or a unit that does not fit has a warning: %j for %j", (pricing, one, problem) => {
  const warnings = catalogWarnings(parse({ pricing, chain: [one] }));
  expect(warnings).toEqual(problem === undefined ? [] : [`models[0] (a): chain[0]: ${problem}`]);
});
