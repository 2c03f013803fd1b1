import { expect, test } from "vitest";
import { catalogWith, parse } from "../test/small-catalog.ts";

test("a chat model names the further members that it takes", () => {
  const catalog = parse(catalogWith({ model: { passes: ["verbosity", "promptCacheKey"] } }));
  expect(catalog.models.get("small")?.passes).toEqual(new Set(["verbosity", "promptCacheKey"]));
  for (const [name, problem] of [
    ["store", "is a member that Tollgate defines: leave it out"],
    ["stream", "is a member that Tollgate defines: leave it out"],
    ["a b", "must be the name of a member of a chat request"],
  ] as const) {
    expect(() => parse(catalogWith({ model: { passes: ["verbosity", name] } }))).toThrow(
      `models[0] (small).passes[1]: ${problem}`,
    );
  }
});

test("a chat model allows what costs more than tokens, and has a price for the provider's tools", () => {
  const pricing = { input: "1", output: "1", "tool:web_search": "0.01" };
  const allows = ["priority", "web_search", "beta:a-2026-01-01", "member:verbosity"];
  const catalog = parse(catalogWith({ model: { pricing, allows } }));
  expect(catalog.models.get("small")?.allows).toEqual(new Set(allows));
  for (const [name, problem] of [
    ["mcp", 'must not be mcp, since near/small-1 has no price "tool:mcp"'],
    ["everything", "must be priority, web_search, "],
    ["member:", "must be priority, web_search, "],
  ] as const) {
    expect(() => parse(catalogWith({ model: { pricing, allows: ["web_search", name] } }))).toThrow(
      `models[0] (small).allows[1]: ${problem}`,
    );
  }
  const slot = { provider: "near", model: "x", pricing: { input: "1", output: "1" } };
  expect(() => parse(catalogWith({ model: { pricing, allows, chain: [slot] } }))).toThrow(
    'models[0] (small).allows[1]: must not be web_search, since near/x has no price "tool:web_search"',
  );
});
