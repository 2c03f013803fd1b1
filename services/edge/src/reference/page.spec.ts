import { describe, expect, test } from "vitest";
import { createDocument } from "../openapi/document.ts";
import { routes } from "../routes/index.ts";
import { html } from "./html.ts";
import { contentSecurityPolicy, referencePage } from "./page.ts";

describe("the reference page", () => {
  const document = createDocument(routes);
  const page = referencePage(document);

  test("tells of every operation, every field and every error code", () => {
    for (const item of Object.values(document.paths)) {
      for (const { operationId } of Object.values(item)) {
        expect(page).toContain(`<section id="${operationId}">`);
      }
    }
    for (const { properties } of Object.values(document.components.schemas)) {
      for (const name of Object.keys(properties ?? {}))
        expect(page).toContain(`<code>${name}</code>`);
    }
    for (const { code } of document["x-error-codes"])
      expect(page).toContain(`<code>${code}</code>`);
  });

  test("has links that lead to places on it, each there once", () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((link) => !ids.includes(link))).toEqual([]);
  });

  test("asks nothing of anyone, and runs nothing", () => {
    expect(page).not.toMatch(/<script|<img|<link rel="stylesheet"|@import|\son\w+=|style="/);
    expect(
      [...page.matchAll(/(?:href|src)="([^#"]*)/g)].map(([, to]) => to).filter(Boolean),
    ).toEqual(["data:,", "/openapi.json"]);
    expect(contentSecurityPolicy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
  });

  test("writes what it is told as text", () => {
    expect(html`<p>${`<b a="1">&'`}</p>`.markup).toBe("<p>&lt;b a=&quot;1&quot;&gt;&amp;&#39;</p>");
    const { info, ...rest } = document;
    const changed = referencePage({ ...rest, info: { ...info, title: "<script>" } });
    expect(changed).not.toContain("<script>");
  });
});
