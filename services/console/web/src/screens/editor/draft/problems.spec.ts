import { expect, test } from "vitest";
import { readDraft } from "./document.ts";
import { problemAt, problemsOf, readProblem } from "./problems.ts";

test("an error of the check has a path and a message", () => {
  expect(readProblem("models[12] (acme/large:1.5).chain[0].provider: must be: a name")).toEqual({
    path: ["models", 12, "chain", 0, "provider"],
    message: "must be: a name",
  });
  expect(readProblem("models[0] (a).pricing.tool:search: is required").path).toEqual([
    ...["models", 0, "pricing", "tool:search"],
  ]);
  expect(readProblem('plans.gold.models["acme-1.5"].input: is required').path).toEqual([
    ...["plans", "gold", "models", "acme-1.5", "input"],
  ]);
  expect(readProblem("the file has 101 YAML aliases: too many").path).toEqual([]);
});

test("a problem has its line, and is found at the entry that it is in", () => {
  const draft = readDraft("providers: {}\nmodels:\n  - alias: a\n    route_type: chat\n");
  const problems = problemsOf(draft, ["models[0] (a).route_type: must be another"]);
  expect(problems).toMatchObject([{ line: 4, message: "must be another" }]);
  expect(problemAt(problems, ["models", 0])).toBe(problems[0]);
  expect(problemAt(problems, ["models", 1])).toBeUndefined();
});

test("of a text that is no YAML, only that is told", () => {
  const problems = problemsOf(readDraft("a: [1\n"), ["models: is required"]);
  expect(problems).toMatchObject([{ path: [] }]);
  expect(problems).toHaveLength(1);
});
