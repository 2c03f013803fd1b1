/** Returns the least id of an entry whose request began at a time: see `newId`. */
export function idAt(ms: number): string {
  return `entry_${Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0")}`;
}
