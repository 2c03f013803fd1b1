/**
 * Returns the environment of a process whose clock is ahead by some milliseconds. The clock of Postgres stays
 * as it is.
 */
export function shiftedClock(aheadMs: number): NodeJS.ProcessEnv {
  const code = `
    const { now } = Date;
    const ahead = ${aheadMs};
    globalThis.Date = class extends Date {
      constructor(...parts) {
        super(...(parts.length === 0 ? [now() + ahead] : parts));
      }
      static now() {
        return now() + ahead;
      }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}
