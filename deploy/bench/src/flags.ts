import { parseArgs } from "node:util";
import { nodeFlags } from "@tollgate/local/target-process";
import { createControlGroup } from "./control-group.ts";
import { compareSideBySide, sideBySideFlags } from "./side-by-side.ts";
import type { Gateway } from "./subject.ts";
import { startTestbed } from "./testbed.ts";
import { startAll } from "./tollgate.ts";

/**
 * `npm run bench:flags`: compares the flags of Node that the gateway has with those of each `--with`,
 * such as `--with="--max-semi-space-size=64"`; by default, with none. With `--memory 512`, each
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
  contenders.push(await startWith(index, text));
}
process.stdout.write(await compareSideBySide(testbed, contenders, flags));

async function startWith(index: number, text: string): Promise<Gateway> {
  const title = text || "no flags";
  const options = {
    database: `bench_flags_${index}`,
    nodeFlags: text.split(" ").filter((flag) => flag !== ""),
  };
  const start = () => startAll(testbed, options);
  return {
    ...(await (memory === undefined ? start() : withMemory(index, Number(memory), start))),
    title,
  };
}

/**
 * Runs `start` with this process in a control group with so many MiB, in which what it starts stays.
 */
async function withMemory<T>(
  index: number,
  mebibytes: number,
  start: () => Promise<T>,
): Promise<T> {
  const bytes = String(mebibytes * 1024 * 1024);
  const group = await createControlGroup(`${process.pid}-${index}`, {
    controller: "memory",
    version1: { "memory.limit_in_bytes": bytes },
    version2: { "memory.max": bytes },
  });
  testbed.defer(group.remove);
  await group.enter(process.pid);
  try {
    return await start();
  } finally {
    await group.leave(process.pid);
  }
}
