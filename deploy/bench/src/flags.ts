import { parseArgs } from "node:util";
import { nodeFlags } from "@tollgate/local/target-process";
import { createMemoryLimit } from "./memory-limit.ts";
import { compareSideBySide, sideBySideFlags } from "./side-by-side.ts";
import type { Gateway } from "./subject.ts";
import { startTestbed } from "./testbed.ts";
import { startAll } from "./tollgate.ts";

/**
 * `npm run bench:flags`: compares the flags of Node that the gateway has with those of each `--with`,
 * such as `--with="--max-semi-space-size=32"`; by default, with none. With `--memory 512`, each
 * gateway has so many MiB, as in a container: V8 derives its defaults from it. That needs Linux, root
 * and the memory controller of cgroup.
 */
const { values } = parseArgs({
  options: {
    ...sideBySideFlags,
    with: { type: "string", multiple: true, default: [""] },
    memory: { type: "string" },
  },
});
const { with: others, memory, ...flags } = values;

await using testbed = await startTestbed();
const contenders: Gateway[] = [];
for (const [index, text] of [...others, nodeFlags.join(" ")].entries()) {
  contenders.push(await start(index, text));
}
process.stdout.write(await compareSideBySide(testbed, contenders, flags));

async function start(index: number, text: string): Promise<Gateway> {
  const title = text || "no flags";
  const options = {
    database: `bench_flags_${index}`,
    nodeFlags: text.split(" ").filter((flag) => flag !== ""),
  };
  if (memory === undefined) return { ...(await startAll(testbed, options)), title };
  const limit = await createMemoryLimit(String(index), Number(memory));
  testbed.defer(limit.remove);
  return { ...(await limit.within(() => startAll(testbed, options))), title };
}
