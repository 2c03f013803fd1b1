import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const root = new URL("../../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, root), "utf8");

it("the image has the Node that a checkout downloads, and CI its major version", async () => {
  const pins = await readdir(new URL("deploy/local/node/", root));
  const versions = await Promise.all(
    pins.map(async (file) => JSON.parse(await read(`deploy/local/node/${file}`)).version as string),
  );
  const [, image] = /^ARG NODE_VERSION=(.+)$/m.exec(await read("deploy/Dockerfile")) ?? [];
  expect(new Set(versions)).toEqual(new Set([image]));
  expect(image).toMatch(new RegExp(`^${(await read(".nvmrc")).trim()}\\.`));
});
