import { expect, test } from "vitest";
import type { RouteRules } from "../routes/route-rules.ts";
import type { Operation } from "./operation.ts";
import { ruledOperation } from "./ruled-operation.ts";

const operation: Operation = {
  id: "test",
  tag: "Gateway",
  summary: "Test",
  parameters: [{ in: "path", name: "id", description: "The id.", schema: {} }],
  responses: { 200: { description: "Done." } },
  errors: ["not_found"],
};

function documented(rules: Partial<RouteRules>, more: Partial<Operation> = {}) {
  const { parameters, responses, errors } = ruledOperation(
    { ...operation, ...more },
    { auth: "key", ...rules },
  );
  return { parameters: parameters?.map(({ name }) => name), responses, errors };
}

test("an operation has the errors and parameters that its route's rules imply", () => {
  const query = [{ name: "page", description: "A page.", schema: {} }];
  expect(documented({})).toMatchObject({ parameters: ["id"], errors: ["not_found"] });
  expect(documented({ query: [] }).errors).toEqual(["unknown_param", "not_found"]);
  expect(documented({ query })).toMatchObject({
    parameters: ["id", "page"],
    errors: ["unknown_param", "invalid_param", "not_found"],
  });
  expect(documented({ wallet: "checked" }).errors).toEqual([
    "credit_balance_exhausted",
    "not_found",
  ]);
  expect(documented({ wallet: "charged" }).errors).toContain("rate_limited");
  expect(documented({ calls: "provider" }).errors).toContain("no_provider_available");
  const body = { kind: "form", name: "Form", form: {}, example: {} } as const;
  expect(documented({}, { body }).errors).toEqual([
    "invalid_json",
    "unknown_param",
    "invalid_param",
    "request_too_large",
    "not_found",
  ]);
});

test("only a route that replays responses documents the header and the errors of a replay", () => {
  const replays = documented({ idempotencyKey: "replays" });
  expect(replays.parameters).toEqual(["Idempotency-Key", "id"]);
  expect(replays.responses[200]?.headers).toEqual(["Idempotency-Replayed"]);
  expect(replays.errors).toContain("idempotency_key_in_use");
  const ignored = documented({ idempotencyKey: "ignored" });
  expect(ignored.parameters).toEqual(["Idempotency-Key", "id"]);
  expect(ignored.responses).toEqual(operation.responses);
  expect(ignored.errors).toEqual(["not_found"]);
});
