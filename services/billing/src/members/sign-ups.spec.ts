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
])("nobody signs up with an account named %j, which invitations have", async (accountName) => {
  const request = { email: "ada@example.com", accountName, clientAddress: "192.0.2.1" };
  await expect(
    beginSignUp(parts, request as Parameters<typeof beginSignUp>[1]),
  ).rejects.toMatchObject({ code: "invalid_param", param: "account_name" });
});

test.each([
  "Acme.com",
  "Acme, Inc. (EU): sales",
])("an account may be named %j", async (accountName) => {
  const request = { email: "ada@example.com", accountName, clientAddress: "192.0.2.1" };
  await expect(beginSignUp(parts, request as Parameters<typeof beginSignUp>[1])).rejects.toThrow(
    TypeError,
  );
});
