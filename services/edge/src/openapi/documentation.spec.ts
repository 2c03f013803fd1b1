import { readdir, readFile } from "node:fs/promises";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { expect, test } from "vitest";
import type { z } from "zod";
import { routes } from "../routes/index.ts";
import { validate, withoutNulls } from "../validation/validate.ts";

const root = new URL("../../../../", import.meta.url);

async function readPages(): Promise<Map<string, string>> {
  const docs = (await readdir(new URL("docs/", root))).map((name) => `docs/${name}`);
  const paths = ["README.md", ...docs.filter((name) => name.endsWith(".md"))];
  const texts = await Promise.all(paths.map((path) => readFile(new URL(path, root), "utf8")));
  return new Map(paths.map((path, index) => [path, texts[index] ?? ""]));
}

const pages = await readPages();

/** Returns the bodies of the `curl` commands of a page that call the API, each with its path. */
function requestsIn(text: string): { path: string; body: string }[] {
  const commands = text.matchAll(/\bcurl\s((?:\\\n|'[^']*'|[^'\n])*)/g);
  return Array.from(commands, ([, command = ""]) => command).flatMap((command) => {
    const path = /(?:\$BASE|\/v1)(\/[a-z/]+)/.exec(command)?.[1];
    const body = /\s-d\s+'([^']*)'/.exec(command)?.[1];
    return path === undefined || body === undefined ? [] : [{ path: `/v1${path}`, body }];
  });
}

function blocksIn(text: string): string[] {
  return Array.from(text.matchAll(/^ *```json\n(.*?)^ *```$/gms), ([, block = ""]) => block);
}

function schemasAt(path: string): readonly z.ZodObject[] {
  return routes.flatMap((route) => {
    const { body } = route.operation;
    return route.method === "POST" && route.path === path && body?.kind === "json"
      ? body.schemas
      : [];
  });
}

/** Returns the problems of a body, of all schemas that it could be of; none where one accepts it. */
function problemsOf(body: JsonObject, schemas: readonly z.ZodObject[]): string[] {
  const problems = schemas.map((schema) => {
    try {
      validate(schema, withoutNulls(schema, body));
      return "";
    } catch (error) {
      return String(error);
    }
  });
  return problems.includes("") ? [] : problems;
}

test("every request in the documentation is one of its route", () => {
  const requests = [...pages].flatMap(([page, text]) =>
    requestsIn(text).map((request) => ({ page, ...request })),
  );
  expect(requests.length).toBeGreaterThan(15);
  for (const { page, path, body } of requests) {
    const schemas = schemasAt(path);
    expect(schemas, `${page}: ${path}`).not.toHaveLength(0);
    expect(problemsOf(JSON.parse(body) as JsonObject, schemas), `${page}: ${body}`).toEqual([]);
  }
});

test("every block of JSON in the documentation is valid, and a request one of its route", () => {
  const blocks = [...pages].flatMap(([page, text]) =>
    blocksIn(text).map((block) => ({ page, value: JSON.parse(block) as unknown })),
  );
  const requests = blocks.filter(({ value }) => isJsonObject(value) && "messages" in value);
  expect(requests.length).toBeGreaterThan(0);
  for (const { page, value } of requests) {
    const schemas = ["/v1/chat/completions", "/v1/messages"].flatMap(schemasAt);
    expect(problemsOf(value as JsonObject, schemas), page).toEqual([]);
  }
});
