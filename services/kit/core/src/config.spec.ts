import { expect, test } from "vitest";
import { z } from "zod";
import { integerSetting, readSettings } from "./config.ts";

const schema = z.object({
  MODE: z.enum(["on", "off"]).default("on"),
  PORT: integerSetting({ min: 0, max: 65_535, default: 8_080 }),
  SECRET: z.string().min(8).optional(),
  URL: z.url(),
});
const URL = "http://localhost";

test("missing and empty variables have their defaults", () => {
  expect(readSettings(schema, { URL, PORT: "" })).toEqual({ URL, MODE: "on", PORT: 8_080 });
});

test.each([
  [{}, "URL: is not set"],
  [{ URL, MODE: "x" }, 'MODE: must be one of "on", "off"'],
  [{ URL, PORT: "x" }, "PORT: must be a whole number from 0 to 65535"],
  [{ URL, SECRET: "x" }, "SECRET: must have at least 8 characters"],
  [{ URL: "x" }, "URL: must be a valid URL"],
])("the error of %j names the variable and says what is allowed", (env, message) => {
  expect(() => readSettings(schema, env)).toThrow(message);
});
