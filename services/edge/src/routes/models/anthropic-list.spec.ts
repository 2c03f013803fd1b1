import type { IncomingMessage } from "node:http";
import type { Model } from "@tollgate/catalog/model";
import { expect, test } from "vitest";
import { anthropicPage } from "./anthropic-list.ts";

const models = ["a", "b/1", "c", "d", "e"].map(
  (alias) => ({ alias, created: 1_700_000_000 }) as Model,
);

function page(query: string) {
  return anthropicPage(models, { url: `/v1/models${query}` } as IncomingMessage);
}

function ids(query: string): string[] {
  return page(query).data.map(({ id }) => id);
}

test("a model has the four members of Anthropic's API", () => {
  expect(page("?limit=1")).toEqual({
    data: [{ type: "model", id: "a", display_name: "a", created_at: "2023-11-14T22:13:20Z" }],
    has_more: true,
    first_id: "a",
    last_id: "a",
  });
});

test.each<[string, string[], boolean]>([
  ["", ["a", "b/1", "c", "d", "e"], false],
  ["?limit=1000", ["a", "b/1", "c", "d", "e"], false],
  ["?limit=2", ["a", "b/1"], true],
  ["?limit=2&after_id=b%2F1", ["c", "d"], true],
  ["?limit=2&after_id=c", ["d", "e"], false],
  ["?after_id=e", [], false],
  ["?limit=2&before_id=e", ["c", "d"], true],
  ["?limit=2&before_id=c", ["a", "b/1"], false],
  ["?limit=2&before_id=a", [], false],
])("the page %s has %j", (query, expected, hasMore) => {
  expect(ids(query)).toEqual(expected);
  expect(page(query)).toMatchObject({
    has_more: hasMore,
    first_id: expected.at(0) ?? null,
    last_id: expected.at(-1) ?? null,
  });
});

test.each([
  ["limit", "?limit=0"],
  ["limit", "?limit=1001"],
  ["limit", "?limit=-1"],
  ["limit", "?limit=1.5"],
  ["limit", "?limit="],
  ["limit", "?limit=ten"],
  ["after_id", "?after_id=x"],
  ["after_id", "?after_id="],
  ["before_id", "?before_id=x"],
  ["before_id", "?before_id=c&after_id=a"],
])("a bad %s is refused: %s", (param, query) => {
  expect(() => page(query)).toThrow(expect.objectContaining({ code: "invalid_param", param }));
});
