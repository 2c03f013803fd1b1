/** A `.cpuprofile` file of V8; times are microseconds of the machine's monotonic clock. */
export interface CpuProfile {
  nodes: readonly ProfileNode[];
  startTime: number;
  samples: readonly number[];
  timeDeltas: readonly number[];
}

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: readonly number[];
}

/** The time spent in a function itself, and in it together with its callees. */
export interface Spent {
  name: string;
  selfUs: number;
  totalUs: number;
}

export interface Profile {
  /** The total time without idle time. */
  busyUs: number;
  functions: readonly Spent[];
  files: readonly Spent[];
  packages: readonly Spent[];
  /** Functions, with the time of Node's own and native code attributed to their caller. */
  callers: readonly Spent[];
}

/**
 * Sums the samples between two times. Entries are sorted by their own time, in descending order.
 */
export function readProfile(profile: CpuProfile, fromUs: number, untilUs: number): Profile {
  const selfUs = selfTimes(profile, fromUs, untilUs);
  const parents = parentsOf(profile.nodes);
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const stacks: Stack[] = [];
  for (const [id, time] of selfUs) {
    const stack: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = frames.get(at);
      if (frame !== undefined) stack.push(frame);
    }
    if (stack[0]?.functionName !== "(idle)") stacks.push({ time, stack });
  }
  return {
    busyUs: stacks.reduce((sum, { time }) => sum + time, 0),
    functions: addUp(stacks, functionOf),
    files: addUp(stacks, fileOf),
    packages: addUp(stacks, packageOf),
    callers: addUp(stacks.map(withoutNode), functionOf),
  };
}

type Frame = ProfileNode["callFrame"];

interface Stack {
  time: number;
  /** Innermost call first. */
  stack: readonly Frame[];
}

/** Removes Node's frames above the caller. Work without a caller, such as GC, stays as it is. */
function withoutNode({ time, stack }: Stack): Stack {
  const caller = stack.findIndex(({ url }) => url !== "" && !url.startsWith("node:"));
  return { time, stack: caller < 0 ? stack : stack.slice(caller) };
}

function selfTimes(profile: CpuProfile, fromUs: number, untilUs: number): Map<number, number> {
  const times = new Map<number, number>();
  let now = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index] ?? 0;
    now += delta;
    if (now >= fromUs && now < untilUs) times.set(id, (times.get(id) ?? 0) + delta);
  }
  return times;
}

function parentsOf(nodes: readonly ProfileNode[]): Map<number, number> {
  const parents = new Map<number, number>();
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);
  return parents;
}

function addUp(stacks: readonly Stack[], nameOf: (frame: Frame) => string): Spent[] {
  const spent = new Map<string, Spent>();
  for (const { time, stack } of stacks) {
    const names = stack.map(nameOf);
    for (const name of new Set(names)) {
      const known = spent.get(name) ?? { name, selfUs: 0, totalUs: 0 };
      known.totalUs += time;
      if (name === names[0]) known.selfUs += time;
      spent.set(name, known);
    }
  }
  return [...spent.values()].sort((left, right) => right.selfUs - left.selfUs);
}

function functionOf(frame: Frame): string {
  const name = frame.functionName || "(anonymous)";
  return frame.url === "" ? name : `${name}  ${fileOf(frame)}:${frame.lineNumber + 1}`;
}

/** Returns the path relative to the repository or to `node_modules`. */
function fileOf({ url, functionName }: Frame): string {
  if (url === "") return functionName || "(native)";
  const [, inside] = /(?:^|\/)((?:node_modules|services|deploy|proto)\/.*)$/.exec(url) ?? [];
  const path = inside ?? url;
  const last = path.lastIndexOf("node_modules/");
  return last < 0 ? path : path.slice(last + "node_modules/".length);
}

/** Returns the npm package, our workspace, or `node`. */
function packageOf(frame: Frame): string {
  if (frame.url.startsWith("node:")) return "node";
  const [first = "", second = ""] = fileOf(frame).split("/");
  const isScoped = first.startsWith("@") || first === "services" || first === "deploy";
  return isScoped ? `${first}/${second}` : first;
}
