import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import express, { type Response, Router } from "express";

/** Where the build of the page writes its files. */
const builtPage = fileURLToPath(new URL("../../web/dist/", import.meta.url));

const notBuilt = `The page of the console has not been built: ${builtPage} has no index.html.
The operator's API works without it.
`;

/**
 * Serves the built page: its files, and `index.html` for every other path, since the page has its own
 * routes. Files under `/assets/` have their hash in their name.
 */
export function servePage(folder = builtPage): Router {
  const router = Router();
  const files = express.static(folder, { index: false, redirect: false, setHeaders: setCaching });
  router.use(files);
  router.use((req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") return next();
    if (req.path.startsWith("/assets/")) return next();
    res.setHeader("Cache-Control", "no-cache");
    if (existsSync(`${folder}/index.html`)) return res.sendFile("index.html", { root: folder });
    res.status(503).type("text/plain").send(notBuilt);
  });
  return router;
}

function setCaching(res: Response, path: string): void {
  const isHashed = path.includes("/assets/");
  res.setHeader("Cache-Control", isHashed ? "public, max-age=31536000, immutable" : "no-cache");
}
