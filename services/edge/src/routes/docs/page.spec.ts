import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { contentSecurityPolicy, referencePage } from "./page.ts";

test("the page refers to no other host", () => {
  const [head = "", script = ""] = referencePage.split('<script type="module">');
  expect(`${head}${script}`).not.toMatch(/https?:|["'(]\/\//);
  const links = [...head.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, to]) => to);
  expect(links).toEqual(["data:,", "/openapi.json"]);
});

test("the policy allows the page's own script, and no other host", () => {
  const script = /<script type="module">([\s\S]*)<\/script>/.exec(referencePage)?.[1] ?? "";
  const hash = createHash("sha256").update(script).digest("base64");
  expect(contentSecurityPolicy).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(contentSecurityPolicy).toMatch(/^default-src 'none';/);
  const sources = contentSecurityPolicy.split("; ").flatMap((rule) => rule.split(" ").slice(1));
  expect(sources.filter((source) => !/^('.*'|data:)$/.test(source))).toEqual([]);
});
