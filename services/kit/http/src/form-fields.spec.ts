import { describe, expect, test } from "vitest";
import { type Form, type FormPart, readForm } from "./form-fields.ts";
import { ocrForm } from "./forms/ocr.ts";
import { transcriptionForm } from "./forms/transcription.ts";

const form = {
  mode: { kind: "text", about: "" },
  prompt: { kind: "text", dropped: true, about: "" },
} as const;

test("a field that is too long is refused, and the error names it", () => {
  const reading = () => readForm([{ kind: "oversized", name: "mode" }], form);
  expect(reading).toThrow(expect.objectContaining({ code: "invalid_param", param: "mode" }));
});

test("a field that is not used may have any length, but may be sent only once", () => {
  const prompt = { kind: "oversized", name: "prompt" } as const;
  expect(readForm([prompt], form)).toEqual({ mode: undefined, prompt: undefined });
  const twice = () => readForm([prompt, prompt], form);
  expect(twice).toThrow(expect.objectContaining({ code: "invalid_param", param: "prompt" }));
});

test("an unknown field is refused as unknown, whatever its length", () => {
  const reading = () => readForm([{ kind: "oversized", name: "other" }], form);
  expect(reading).toThrow(expect.objectContaining({ code: "unknown_param", param: "other" }));
});

describe.each([
  ["ocr", ocrForm as Form],
  ["transcription", transcriptionForm as Form],
])("the fields of the %s form", (_, fields) => {
  const valid = Object.entries(fields).map(([name, field]): FormPart => {
    if (field.kind === "file")
      return { kind: "file", name, contentType: "", fileName: "", offset: 0 };
    return { kind: "field", name, value: field.options?.[0] ?? "x" };
  });

  test("are valid together", () => {
    expect(() => readForm(valid, fields)).not.toThrow();
  });

  test.each(Object.keys(fields))("an error starts with %s and says what is allowed", (name) => {
    const others = valid.filter((part) => part.name !== name);
    const own = valid.filter((part) => part.name === name);
    const wrong: FormPart[][] = [
      [],
      [...own, ...own],
      [{ kind: "file", name, contentType: "", fileName: "", offset: 0 }],
      [{ kind: "oversized", name }],
      [{ kind: "field", name, value: "" }],
      [{ kind: "field", name, value: "x" }],
    ];
    for (const parts of wrong) {
      let message = `${name} must be valid.`;
      try {
        readForm([...others, ...parts], fields);
      } catch (error) {
        ({ message } = error as Error);
      }
      expect(message.startsWith(`${name} `), message).toBe(true);
      expect(message).toMatch(/ (must|is required)\b.*\.$/);
    }
  });
});

test.each([
  [
    { kind: "field", name: "diplomatic", value: "x" } as const,
    'diplomatic must be one of "t", "f".',
  ],
  [{ kind: "field", name: "file", value: "x" } as const, "file must be a file."],
  [{ kind: "oversized", name: "language" } as const, "language must have at most 64 KiB."],
])("the error of the part %j is a sentence", (part, message) => {
  const others: FormPart[] = [
    { kind: "file", name: "file", contentType: "", fileName: "", offset: 0 },
    { kind: "field", name: "model", value: "m" },
  ];
  const parts = [...others.filter(({ name }) => name !== part.name), part];
  expect(() => readForm(parts, ocrForm)).toThrow(expect.objectContaining({ message }));
});
