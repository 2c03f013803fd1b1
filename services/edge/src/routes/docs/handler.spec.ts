import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { GatewayError } from "@tollgate/core/errors";
import { beforeAll, describe, expect, test } from "vitest";
import type { RequestContext } from "../../http/request-context.ts";
import { getDocs, getDocsFile } from "./handler.ts";
import { createScalarFiles, scalarFolder } from "./scalar-files.ts";

const content = "export const text = 'x';\n".repeat(1_000);

describe("the files of the API reference", () => {
  let url = "";

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), "tollgate-docs-"));
    await mkdir(join(folder, "chunks"));
    await writeFile(join(folder, "standalone.esm.js"), content);
    await writeFile(join(folder, "chunks", "a-1.js"), content);
    await writeFile(join(folder, "chunks", "a-1.js.map"), content);
    const files = pathToFileURL(`${folder}/`);
    const handler = getDocsFile(files);
    const server = createServer((req, res) => {
      const pathParameter = decodeURIComponent((req.url ?? "").slice(1));
      const context = { req, res, headers: {}, pathParameter } as unknown as RequestContext;
      handler(context).catch((error: unknown) => {
        res.writeHead(error instanceof GatewayError ? error.status : 500).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return async () => {
      server.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true });
    };
  });

  test("are compressed for a client that accepts gzip, and plain for another", async () => {
    const compressed = await fetch(`${url}/standalone.esm.js`);
    expect(compressed.headers.get("content-encoding")).toBe("gzip");
    expect(Number(compressed.headers.get("content-length"))).toBeLessThan(content.length / 10);
    expect(await compressed.text()).toBe(content);
    const headers = { "accept-encoding": "identity" };
    const plain = await fetch(`${url}/standalone.esm.js`, { headers });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await plain.text()).toBe(content);
  });

  test("are not sent again to a client that has them", async () => {
    const first = await fetch(`${url}/standalone.esm.js`);
    const headers = { "if-none-match": `W/${first.headers.get("etag")}` };
    const second = await fetch(`${url}/standalone.esm.js`, { headers });
    expect([second.status, await second.text()]).toEqual([304, ""]);
  });

  test("are cached for long only if their names contain a hash", async () => {
    const cacheControl = async (name: string) =>
      (await fetch(`${url}/${name}`)).headers.get("cache-control");
    expect(await cacheControl("standalone.esm.js")).toBe("no-cache");
    expect(await cacheControl("chunks/a-1.js")).toMatch(/immutable/);
  });

  test.each([
    "chunks/b-1.js",
    "chunks/a-1.js.map",
    "standalone.js",
    "..%2Fpackage.json",
    "chunks%2F..%2Fstandalone.esm.js",
    "chunks",
  ])("are no other files: %s", async (name) => {
    expect((await fetch(`${url}/${name}`)).status).toBe(404);
  });
});

test("Scalar's build has the page's module, and every chunk that it imports", async () => {
  const find = createScalarFiles(scalarFolder);
  const visited = new Set<string>();
  const pending = ["standalone.esm.js"];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    visited.add(name);
    const file = await find(name);
    expect(file, name).toBeDefined();
    const imports = file?.body.toString().matchAll(/(?:from|import)\(?[`"]\.\/([\w./-]+)[`"]/g);
    for (const [, path = ""] of imports ?? []) {
      const imported = name.startsWith("chunks/") ? `chunks/${path}` : path;
      if (!visited.has(imported) && /\.js$/.test(imported)) pending.push(imported);
    }
  }
  expect(visited.size).toBeGreaterThan(10);
});

test("a checkout without Scalar's files says how to get them, and where the document is", async () => {
  const pages: string[] = [];
  const res = { writeHead() {}, end: (body: Buffer) => pages.push(body.toString()) };
  const context = { res, headers: {} } as unknown as RequestContext;
  for (const folder of [new URL("file:///none/"), scalarFolder]) {
    await getDocs(folder)(context);
  }
  expect(pages[0]).toContain("<code>npm start</code> downloads them");
  expect(pages[0]).toContain('href="/openapi.json"');
  expect(pages[1]).toContain("createApiReference");
});
