import { type Child, startChild } from "./child.ts";

/**
 * The flags of Node for each process of the gateway. The script `gateway` in package.json and the
 * Dockerfile repeat them.
 *
 * `--initial-heap-size`: below this size of the heap, in MiB, V8 does not mark all of it. By default,
 * V8 does so whenever buffers and promoted objects of some 10 MiB have been added to the 25 to 60 MiB
 * that live, which takes a fifth of the CPU of requests with 100 KB. V8 takes half of the largest heap
 * instead where that is less, as in a small container.
 *
 * `--max-semi-space-size`: how large the young generation may become, in MiB. By default, V8 derives
 * it from the memory: 1 in a container of 512 MiB, where the collections then take more CPU than
 * the requests; 64 on a large machine. Each collection copies the requests in progress and the usage
 * events that are not captured yet, and a larger young generation is collected less often: with 64
 * clients, the collections take 6 % of a core with 32, and 13 % with 16. 64 saves no more CPU, and takes
 * some 40 MiB more memory.
 */
export const nodeFlags: readonly string[] = ["--initial-heap-size=192", "--max-semi-space-size=32"];

/** What a process runs: one target of a main file, such as that of a bundle. */
export interface TargetProgram {
  main: URL;
  target: string;
  /** What errors call the process. Default: its target. */
  name?: string;
  /** Default: those of the image. */
  nodeFlags?: readonly string[];
}

/** Starts a process of the gateway, by `startChild`. */
export function startTargetProcess(
  { main, target, name = target, nodeFlags: flags = nodeFlags }: TargetProgram,
  env: NodeJS.ProcessEnv,
): Promise<Child> {
  return startChild({ name, file: main, args: ["--target", target], nodeFlags: flags }, env);
}
