/** The reason of an aborted signal: the process received a signal to end. */
export class Interrupt extends Error {
  override readonly name = "Interrupt";
  readonly exitCode: number;

  constructor(signal: string, exitCode: number) {
    super(`interrupted by ${signal}`);
    this.exitCode = exitCode;
  }
}

/** As shells report them: 128 and the number of the signal. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** npm forwards a Ctrl-C that the terminal sends to this process, too. These are one. */
const duplicateMs = 500;

/**
 * Returns a signal that the first SIGINT or SIGTERM aborts, with an `Interrupt`. The next one ends the
 * process at once.
 */
export function watchInterrupts(): AbortSignal {
  const controller = new AbortController();
  let interruptedAt = 0;
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (!controller.signal.aborted) {
        interruptedAt = performance.now();
        controller.abort(new Interrupt(name, exitCodes[name]));
      } else if (performance.now() - interruptedAt > duplicateMs) {
        process.exit(exitCodes[name]);
      }
    });
  }
  return controller.signal;
}

/** Resolves as `work` does. Rejects with the reason of `signal` as soon as it is aborted. */
export async function untilInterrupted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
