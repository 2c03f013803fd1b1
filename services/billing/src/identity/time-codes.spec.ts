import { Secret } from "otpauth";
import { expect, test } from "vitest";
import { newTimeCodeSecret, stepOfTimeCode, timeCodeUri } from "./time-codes.ts";

/** The secret of the test vectors in RFC 6238, appendix B. */
const secret = Secret.fromLatin1("12345678901234567890").base32;
const at = (seconds: number) => new Date(seconds * 1_000);

test("the codes of RFC 6238 are those of their steps", () => {
  const codes = [
    [59, "287082", 1],
    [1_111_111_109, "081804", 37_037_036],
    [1_111_111_111, "050471", 37_037_037],
    [20_000_000_000, "353130", 666_666_666],
  ] as const;
  for (const [seconds, code, step] of codes) {
    expect(stepOfTimeCode(secret, code, at(seconds))).toBe(step);
  }
});

test("a code is valid one step early and late, and no longer", () => {
  const step = 37_037_036;
  const inSteps = (steps: number) => stepOfTimeCode(secret, "081804", at((step + steps) * 30));
  expect([-2, -1, 0, 1, 2].map(inSteps)).toEqual([undefined, step, step, step, undefined]);
});

test("an app reads the secret and the names from the URI", () => {
  const uri = timeCodeUri(secret, { issuer: "console.example.com", label: "Zoë:admin" });
  const { protocol, host, pathname, searchParams } = new URL(uri);
  expect([protocol, host]).toEqual(["otpauth:", "totp"]);
  expect(decodeURIComponent(pathname)).toBe("/console.example.com:Zoë:admin");
  expect(Object.fromEntries(searchParams)).toMatchObject({ secret, digits: "6", period: "30" });
});

test("a new secret has 160 bits", () => {
  expect(Secret.fromBase32(newTimeCodeSecret()).bytes).toHaveLength(20);
  expect(newTimeCodeSecret()).not.toBe(newTimeCodeSecret());
});
