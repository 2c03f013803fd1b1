import { expect, test } from "vitest";
import { parseTopUps, stripeSettingsOf } from "./settings.ts";

const usd = 1_000_000_000n;

test("top-ups are amounts, or any amount between two bounds", () => {
  expect(parseTopUps("10, 25.50,100")).toEqual({
    amounts: [10n * usd, 25_500_000_000n, 100n * usd],
  });
  expect(parseTopUps("5-1000")).toEqual({ least: 5n * usd, most: 1_000n * usd });
});

test.each([
  "",
  "0",
  "10,",
  "10,x",
  "5-",
  "10-5",
  "5-10-20",
  "1.005",
  "1000000",
])("the top-ups %j are refused", (text) => {
  expect(() => parseTopUps(text)).toThrow("TOLLGATE_TOP_UPS");
});

test("payments are off without a key, and a key needs the secret and the console", () => {
  const variables = { TOLLGATE_TOP_UPS: "5-10" };
  expect(stripeSettingsOf(variables)).toBeUndefined();
  const withKey = { ...variables, TOLLGATE_STRIPE_KEY: "sk_test_1" };
  expect(() => stripeSettingsOf(withKey)).toThrow("TOLLGATE_STRIPE_WEBHOOK_SECRET");
  const withSecrets = { ...withKey, TOLLGATE_STRIPE_WEBHOOK_SECRET: "whsec_1, whsec_2" };
  expect(() => stripeSettingsOf(withSecrets)).toThrow("TOLLGATE_CONSOLE_URL");
  const all = { ...withSecrets, TOLLGATE_CONSOLE_URL: "https://console.example.com/" };
  expect(stripeSettingsOf(all)).toMatchObject({
    webhookSecrets: ["whsec_1", "whsec_2"],
    consoleUrl: "https://console.example.com",
  });
});
