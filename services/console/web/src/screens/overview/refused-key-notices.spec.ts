import { create } from "@bufbuild/protobuf";
import { RefusedKeySchema } from "@tollgate/proto/tollgate/v1/slot";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { RefusedKeyNotices } from "./refused-key-notices.tsx";

const textOf = (fields: Parameters<typeof create<typeof RefusedKeySchema>>[1]) =>
  renderToStaticMarkup(
    createElement(RefusedKeyNotices, { keys: [create(RefusedKeySchema, fields)] }),
  ).replace(/<[^>]*>/g, "");

test("a provider whose key is out is named, with what it says and what follows", () => {
  const since = { seconds: 1_700_000_000n, nanos: 0 };
  const text = textOf({
    provider: "acme",
    key: "acme-main",
    said: "Incorrect API key.",
    status: 401,
    since,
  });
  expect(text).toMatch(
    /^acme has refused its key acme-main or asked to be paid since .*, with 401\. /,
  );
  expect(text).toContain("No slot is called with it. The key is tried once a minute.");
  expect(text).toMatch(/ The provider says: “Incorrect API key\.”$/);
  expect(textOf({ provider: "acme", since })).not.toMatch(/with 0|says/);
});

test("nothing is shown where no key is out", () => {
  expect(renderToStaticMarkup(createElement(RefusedKeyNotices, { keys: [] }))).toBe("");
});
