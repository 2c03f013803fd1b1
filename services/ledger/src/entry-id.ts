/** A request is recorded at its end: a stream may have begun an hour before. */
export const maxRequestMs = 60 * 60_000;

/** Returns an id that is before those of all entries that are recorded from a time on. */
export function idBefore(recorded: Date): string {
  return idAt(recorded.getTime() - maxRequestMs);
}

/** Returns the least id of an entry whose request began at a time: see `newId`. */
export function idAt(ms: number): string {
  return `entry_${Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0")}`;
}
