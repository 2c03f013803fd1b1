import { expect, test } from "vitest";
import { isAccountName } from "./accounts.ts";

test.each([
  "AT&T",
  "L'Oréal",
  "L’Oréal",
  "Acme, Inc. (EU)",
  "Yahoo!",
  "a".repeat(128),
])("an account may be named %s", (name) => expect(isAccountName(name)).toBe(true));

test.each([
  "",
  "=1+1",
  "-x",
  "@x",
  'a "b"',
  "a\nb",
  "<b>",
  "a".repeat(129),
])("an account may not be named %j", (name) => expect(isAccountName(name)).toBe(false));
