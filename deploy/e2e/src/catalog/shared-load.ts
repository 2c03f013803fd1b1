import { chatModel, slot } from "./entries.ts";

const minuteSeconds = 60;

/** Providers with time limits of their own. */
export function limitedProviders(simulatorUrl: string) {
  const base_url = `${simulatorUrl}/v1`;
  return {
    "late-start": { base_url, first_byte_seconds: 0.5, timeout_seconds: minuteSeconds },
    // One of its keys expires.
    pooled: {
      base_url,
      keys: [{ env: "TEST_PROVIDER_KEY", weight: 2 }, { env: "TEST_SECOND_KEY" }],
      timeout_seconds: minuteSeconds,
    },
    "two-keys": {
      base_url,
      keys: [{ env: "TEST_PROVIDER_KEY", weight: 3 }, { env: "TEST_SECOND_KEY" }],
      timeout_seconds: minuteSeconds,
    },
    "cut-short": { base_url, timeout_seconds: minuteSeconds, total_seconds: 3 },
  };
}

/** Models whose slots share requests, or take over from one another. */
export function sharedLoadModels() {
  const tier = 1;
  return [
    chatModel("test-shared", [
      { ...slot("long_timeout", "shared-3"), tier, weight: 3 },
      { ...slot("long_timeout", "shared-1"), tier },
    ]),
    chatModel("test-weighted", [
      { ...slot("two-keys", "weighted-5"), tier, weight: 5 },
      { ...slot("two-keys", "weighted-3"), tier, weight: 3 },
      { ...slot("two-keys", "weighted-2"), tier, weight: 2 },
    ]),
    // What can go out goes out, but for the last.
    chatModel("test-losing", [
      { ...slot("pooled", "losing?key=second-secret&pass_first=50&id=losing&status=401"), tier },
      { ...slot("long_timeout", "losing?reply_id=losing-down"), tier },
      { ...slot("long_timeout", "losing?reply_id=losing-limited"), tier },
      { ...slot("nowhere", "losing"), tier },
      { ...slot("long_timeout", "staying-in"), tier },
    ]),
    // One of its slots goes out after some calls.
    chatModel("test-shared-failing", [
      { ...slot("long_timeout", "leaving?pass_first=20&id=leaving&status=503"), tier },
      { ...slot("long_timeout", "staying"), tier },
    ]),
    chatModel(
      "test-affine",
      ["a", "b", "c"].map((name) => ({ ...slot("openai", `affine-${name}`), tier })),
      { passes: ["prompt_cache_key"], balance: "least_busy" },
    ),
    chatModel("test-parallel", [
      { ...slot("long_timeout", "one-at-a-time"), parallel: 1 },
      slot("sim", "after-one-at-a-time"),
    ]),
    chatModel("test-few", [{ ...slot("sim", "few"), requests_per_minute: 2 }]),
    chatModel("test-pooled", [
      slot("pooled", "pooled?key=second-secret&pass_first=10&id=pooled&status=401"),
      slot("sim", "after-pooled"),
    ]),
    chatModel("test-late-start", [
      slot("late-start", "late?delay_ms=30000"),
      slot("sim", "after-late"),
    ]),
    chatModel("test-cut-short", [slot("cut-short", "endless")]),
    chatModel("test-repeated", [
      { ...slot("sim", "repeated?fail_first=2&id=repeated&status=500"), retries: 2 },
      slot("sim", "after-repeated"),
    ]),
    {
      ...chatModel("test-counted", [{ ...slot("claude", "counted"), requests_per_minute: 1 }]),
      pricing: { input: "1", output: "1", cache_write_1h: "2" },
    },
  ];
}
