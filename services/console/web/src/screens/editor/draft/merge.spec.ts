import { expect, test } from "vitest";
import { readDraft } from "./document.ts";
import { mergeTexts } from "./merge.ts";

const base = `providers:
  a: { base_url: "https://a.example" }
models:
  - { alias: one, price: "1" } # the first
  - { alias: two, price: "1" }
limits: { requests_per_minute: 10 }
`;

test("changes of different entries are kept, and those of the newest text stay as written", () => {
  const own = base.replace('two, price: "1"', 'two, price: "2"').replace("10 }", "20 }");
  const newest = base
    .replace('one, price: "1"', 'one, price: "3"')
    .replace("models:", '  b: { base_url: "https://b.example" }\nmodels:');
  const { text, clashes } = mergeTexts({ base, own, newest });
  expect(clashes).toEqual([]);
  expect(text).toContain("# the first");
  expect(text).toContain("requests_per_minute: 20");
  const { providers, models } = readDraft(text);
  expect([...providers.keys()]).toEqual(["a", "b"]);
  expect(models).toEqual([
    { alias: "one", price: "3" },
    { alias: "two", price: "2" },
  ]);
});

test("what was added and removed on either side is kept", () => {
  const own = `${base}`.replace('  - { alias: two, price: "1" }\n', "  - { alias: four }\n");
  const newest = base.replace("limits", "  - { alias: three }\nlimits");
  const { text } = mergeTexts({ base, own, newest });
  expect(readDraft(text).models.map(({ alias }) => alias)).toEqual(["one", "three", "four"]);
});

test("an entry that both have changed clashes, unless in the same way", () => {
  const own = base.replace('one, price: "1"', 'one, price: "2"');
  const newest = base.replace('one, price: "1"', 'one, price: "3"');
  expect(mergeTexts({ base, own, newest })).toEqual({ text: newest, clashes: ["the model one"] });
  expect(mergeTexts({ base, own, newest: own }).clashes).toEqual([]);
});
