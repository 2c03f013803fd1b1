import { type Child, startChild } from "./child.ts";

/**
 * The flags of Node for each process of the gateway. The script `gateway` in package.json and the
 * Dockerfile repeat them.
 *
 * Below this size of the heap, in MiB, V8 does not mark all of it. By default, V8 does so whenever
 * buffers and promoted objects of some 10 MiB have been added to the 25 to 60 MiB that live, which
 * takes a fifth of the CPU of requests with 100 KB. V8 takes half of the largest heap instead where
 * that is less, as in a small container.
 */
export const nodeFlags: readonly string[] = ["--initial-heap-size=192"];

/** What a process runs: one target of a main file, such as that of a bundle. */
export interface TargetProgram {
  main: URL;
  target: string;
  /** What errors call the process. Default: its target. */
  name?: string;
}

/** Starts a process of the gateway with the flags that it has in the image, by `startChild`. */
export function startTargetProcess(
  { main, target, name = target }: TargetProgram,
  env: NodeJS.ProcessEnv,
): Promise<Child> {
  return startChild({ name, file: main, args: ["--target", target], nodeFlags }, env);
}
