import { expect, test } from "vitest";
import { beginSignUp, type SignUpParts } from "./sign-ups.ts";

/** What is called after the name is checked throws. */
const parts = {
  signUp: { mode: "open", domains: [], creditNanoUsd: 0n, termsUrl: "" },
  mailing: {},
} as unknown as SignUpParts;

test.each([
  "Your account is locked: http://evil.example",
  "See evil.example/login",
  "Visit WWW.evil.example now",
  "evil.example",
  "Write to us at EVIL.COM, please",
  "Mail a@evil.example",
  "1.xn--p1ai",
  "пример.рф",
  "उदाहरण.भारत",
  // Mail programs make no link of it, but it cannot be distinguished from a domain.
  "Node.js",
])("an account must not be named %j: mailed invitations show its name", async (accountName) => {
  const request = { email: "ada@example.com", accountName, clientAddress: "192.0.2.1" };
  await expect(
    beginSignUp(parts, request as Parameters<typeof beginSignUp>[1]),
  ).rejects.toMatchObject({ code: "invalid_param", param: "account_name" });
});

test.each([
  "Acme Inc.",
  "Acme, Inc. (EU): sales",
  "St. John's",
  "J.P. Morgan",
  "Web 2.0",
  "Dr. Ada & Co.",
])("an account may be named %j", async (accountName) => {
  const request = { email: "ada@example.com", accountName, clientAddress: "192.0.2.1" };
  await expect(beginSignUp(parts, request as Parameters<typeof beginSignUp>[1])).rejects.toThrow(
    TypeError,
  );
});
