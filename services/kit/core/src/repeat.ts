import { outsideTraces } from "./tracing.ts";

/** Work that is done again and again, one run at a time. */
export interface Repeating {
  /** Starts the pause before the next run, where the task is idle. */
  resume(): void;
  /** Runs the task at once, or again when the run in progress has ended. */
  wake(): void;
  /** Starts no further run. Resolves when the run in progress has ended. */
  stop(): Promise<void>;
}

export interface RepeatOptions {
  /** The pause between the end of a run and the next one. */
  everyMs: number | (() => number);
  /**
   * Returns whether there is nothing to do. It is called after each run: while it is true the task is
   * idle and has no timer, until `resume` or `wake`. By default, a task is never idle.
   */
  isIdle?: () => boolean;
}

/**
 * Repeats `run`, which must not reject, until `stop`. The first run follows after a pause. Runs belong
 * to no trace, and the timer does not keep the process alive.
 */
export function repeat(run: () => void | Promise<void>, options: RepeatOptions): Repeating {
  const task = new RepeatingTask(run, options);
  if (options.isIdle?.() !== true) task.resume();
  return task;
}

type State =
  | { kind: "idle" }
  | { kind: "waiting"; timer: NodeJS.Timeout }
  | Running
  | { kind: "stopped"; ended: Promise<void> | undefined };

interface Running {
  kind: "running";
  /** Undefined until `run` has returned a promise. */
  ended: Promise<void> | undefined;
  isWoken: boolean;
}

class RepeatingTask implements Repeating {
  readonly #run: () => void | Promise<void>;
  readonly #options: RepeatOptions;
  #state: State = { kind: "idle" };

  constructor(run: () => void | Promise<void>, options: RepeatOptions) {
    this.#run = run;
    this.#options = options;
  }

  resume(): void {
    if (this.#state.kind !== "idle") return;
    const { everyMs } = this.#options;
    const pauseMs = typeof everyMs === "number" ? everyMs : everyMs();
    const timer = outsideTraces(() => setTimeout(begin, pauseMs, this).unref());
    this.#state = { kind: "waiting", timer };
  }

  wake(): void {
    const state = this.#state;
    if (state.kind === "running") state.isWoken = true;
    if (state.kind === "waiting") clearTimeout(state.timer);
    if (state.kind === "idle" || state.kind === "waiting") outsideTraces(() => this.begin());
  }

  async stop(): Promise<void> {
    const state = this.#state;
    if (state.kind === "waiting") clearTimeout(state.timer);
    const isRunning = state.kind === "running" || state.kind === "stopped";
    const ended = isRunning ? state.ended : undefined;
    this.#state = { kind: "stopped", ended };
    await ended;
  }

  begin(): void {
    const running: Running = { kind: "running", ended: undefined, isWoken: false };
    this.#state = running;
    const run = this.#run();
    if (run === undefined) this.#end(running);
    else running.ended = run.then(() => this.#end(running));
  }

  #end(running: Running): void {
    // A task that was stopped meanwhile has another state.
    if (this.#state !== running) return;
    this.#state = { kind: "idle" };
    if (running.isWoken) this.begin();
    else if (this.#options.isIdle?.() !== true) this.resume();
  }
}

function begin(task: RepeatingTask): void {
  task.begin();
}
