import { expect, test } from "vitest";
import { openaiTranscribers } from "./known-transcribers.ts";

const { formHosts, tokenModels, secondModels } = openaiTranscribers;

test("hosts are known by whole labels, and models by the unit that they report", () => {
  for (const host of ["api.openai.com", "a.openai.azure.com", "api.groq.com", "api.together.ai"]) {
    expect(formHosts.test(host), host).toBe(true);
  }
  for (const host of ["notopenai.com", "openai.com.test", "whisper.house.test"]) {
    expect(formHosts.test(host), host).toBe(false);
  }
  expect(tokenModels.test("gpt-4o-mini-transcribe")).toBe(true);
  expect(secondModels.test("whisper-large-v3")).toBe(true);
  expect(tokenModels.test("whisper-1") || secondModels.test("gpt-4o-transcribe")).toBe(false);
});
