import { readFileSync } from "node:fs";

const pageBytes = 4_096;
const mebibyte = 1024 * 1024;

/** Sums the resident memory of processes; shared pages count for each. Returns 0 without /proc. */
export function residentMebibytes(pids: readonly number[]): number {
  let pages = 0;
  for (const pid of pids) pages += pagesOf(pid);
  return (pages * pageBytes) / mebibyte;
}

function pagesOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]);
  } catch {
    return 0;
  }
}
