import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * `npm test`: runs `npm run check` beside the suites that the arguments name. The checks say nothing
 * unless they fail: then the suites are ended, so that what is wrong is the last thing printed. Exits
 * with 0 if both succeed.
 */
const root = fileURLToPath(new URL("../../..", import.meta.url));
const vitest = fileURLToPath(new URL("../../../node_modules/vitest/vitest.mjs", import.meta.url));
const config = "deploy/e2e/vitest.config.ts";

const checks = spawn("npm", ["run", "--silent", "check"], {
  cwd: root,
  shell: process.platform === "win32",
  stdio: ["ignore", "pipe", "pipe"],
});
const suites = spawn(
  process.execPath,
  [vitest, "run", "--config", config, ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit" },
);
// Ctrl-C reaches both by itself. This process stays until they have ended.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {
  checks.kill();
  suites.kill();
});

const output: Buffer[] = [];
checks.stdout.on("data", (part: Buffer) => output.push(part));
checks.stderr.on("data", (part: Buffer) => output.push(part));

const suitesEnded = succeeded(suites);
const checksPassed = await succeeded(checks);
if (!checksPassed) suites.kill();
const suitesPassed = await suitesEnded;
if (!checksPassed) {
  process.stderr.write(`\n${Buffer.concat(output)}\nnpm run check failed, and ended the tests.\n`);
}
process.exitCode = checksPassed && suitesPassed ? 0 : 1;

async function succeeded(child: ChildProcess): Promise<boolean> {
  const [code] = await once(child, "close");
  return code === 0;
}
