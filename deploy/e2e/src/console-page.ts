import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const page = fileURLToPath(new URL("../../../services/console/web", import.meta.url));

/** The console's own policy, so that what it forbids shows in the tests of the page. */
const policy = "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** The console's page with a backend in memory, served on this machine. */
export interface ConsolePage extends AsyncDisposable {
  url: string;
}

/** Builds the page with its fixture, and serves it as the console does. */
export async function serveConsolePage(): Promise<ConsolePage> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-console-"));
  await build({
    root: page,
    configFile: join(page, "vite.config.ts"),
    mode: "fixture",
    logLevel: "warn",
    build: { outDir: folder, emptyOutDir: true },
  });
  const server = createServer(async (req, res) => {
    const path = new URL(req.url ?? "/", "http://page").pathname;
    const file = extname(path) === "" ? "index.html" : path;
    const body = await readFile(join(folder, file)).catch(() => undefined);
    res.setHeader("Content-Security-Policy", policy);
    res.setHeader("Content-Type", types[extname(file)] ?? "application/octet-stream");
    res.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
