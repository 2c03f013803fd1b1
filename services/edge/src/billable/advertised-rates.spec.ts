import { expect, test } from "vitest";
import { createAdvertisedRates } from "./advertised-rates.ts";

/** Rates with small limits, and a clock that the test advances. */
function createFixture() {
  let nowMs = 1_700_000_000_000;
  const limits = { requestsPerMinute: 10, tokensPerMinute: 100 };
  const advertised = createAdvertisedRates(
    () => limits,
    () => nowMs,
  );
  const header = (name: string, keyId = "key") =>
    new Map(Object.entries(advertised.headers(keyId))).get(`x-ratelimit-${name}`);
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { advertised, limits, header, advance };
}

test("an unused key has its full limits and no reset time", () => {
  const { advertised } = createFixture();
  expect(advertised.headers("key")).toEqual({
    "x-ratelimit-limit-requests": "10",
    "x-ratelimit-limit-tokens": "100",
    "x-ratelimit-remaining-requests": "10",
    "x-ratelimit-remaining-tokens": "100",
    "x-ratelimit-reset-requests": "0ms",
    "x-ratelimit-reset-tokens": "0ms",
  });
});

test("requests and tokens are counted separately, and by key", () => {
  const { advertised, header } = createFixture();
  advertised.countRequest("key");
  advertised.countRequest("key");
  advertised.countTokens("key", 30);
  expect([header("remaining-requests"), header("remaining-tokens")]).toEqual(["8", "70"]);
  expect(header("remaining-requests", "other")).toBe("10");
});

test("the remaining count is never negative", () => {
  const { advertised, header } = createFixture();
  advertised.countTokens("key", 5_000);
  expect(header("remaining-tokens")).toBe("0");
});

test("a count leaves the window after exactly a minute", () => {
  const { advertised, header, advance } = createFixture();
  advertised.countRequest("key");
  advertised.countTokens("key", 40);
  advance(30_000);
  advertised.countTokens("key", 5);
  advance(29_999);
  expect([header("remaining-requests"), header("remaining-tokens")]).toEqual(["9", "55"]);
  advance(1);
  expect([header("remaining-requests"), header("remaining-tokens")]).toEqual(["10", "95"]);
  advance(30_000);
  expect(header("remaining-tokens")).toBe("100");
});

test("a reset time is when the last count of its kind leaves the window", () => {
  const { advertised, header, advance } = createFixture();
  advertised.countRequest("key");
  advance(20_000);
  advertised.countTokens("key", 1);
  expect([header("reset-requests"), header("reset-tokens")]).toEqual(["40s", "1m0s"]);
  advance(39_500);
  expect([header("reset-requests"), header("reset-tokens")]).toEqual(["500ms", "21s"]);
});

test("zero tokens change nothing", () => {
  const { advertised, header } = createFixture();
  advertised.countTokens("key", 0);
  expect(header("reset-tokens")).toBe("0ms");
});

test("the headers follow the current limits", () => {
  const { advertised, limits, header } = createFixture();
  advertised.countRequest("key");
  limits.requestsPerMinute = 3;
  expect([header("limit-requests"), header("remaining-requests")]).toEqual(["3", "2"]);
});
