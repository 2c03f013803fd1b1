import { expect, test } from "vitest";
import { isSecretText, keyTextIn } from "./key-text.ts";

const key = `sk-tollgate-${"a".repeat(43)}`;

test("the whole text of a key is found, also within another text, and not what lists show of it", () => {
  for (const text of [key, ` ${key}\n`, `Authorization: Bearer ${key}`, `KEY="${key}"`]) {
    expect([text, keyTextIn(text)]).toEqual([text, key]);
  }
  for (const text of ["sk-tollgate-o5rA…aAVc", "sk-tollgate-", "production"]) {
    expect([text, keyTextIn(text)]).toEqual([text, undefined]);
  }
});

test("what has more of a key than lists show is not searched for", () => {
  expect(isSecretText("sk-tollgate-o5rAx")).toBe(true);
  expect(isSecretText(`Bearer ${key}`)).toBe(true);
  for (const text of ["sk-tollgate-o5rA", "sk-tollgate-o5rA…aAVc", "production of sk-tollgate"]) {
    expect([text, isSecretText(text)]).toEqual([text, false]);
  }
});

test.each([
  "sk-proj-4fG7hJk2LmN9pQr5sTu8vWx1",
  "OPENAI_API_KEY=sk-proj-4fG7hJk2LmN9pQr5sTu8vWx1",
  "sk-ant-api03-4fG7hJk2LmN9pQr5sTu8vWx1",
  "AIzaSyD4fG7hJk2LmN9pQr5sTu8vWx1yZ3",
  "tgo-4fG7hJk2LmN9pQr5sTu8vWx1",
])("a secret of another kind is not searched for: %s", (text) => {
  expect(isSecretText(text)).toBe(true);
});

test.each([
  "req_019a2b3c4d5e7f60718293a4b5c6d7e8",
  "chatcmpl-019a2b3c4d5e7f60718293a4b5c6d7e8",
  "msg_01XFDUDYJgAACzvnptvVoYEL",
  "pa-production",
  "risk-assessment-2026-quarterly",
])("a name or an id is searched for: %s", (text) => {
  expect(isSecretText(text)).toBe(false);
});
