import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";

/** How much is read at once. */
const chunkBytes = 16 * 1024 * 1024;

/** Whether this system shows the memory of the processes that this one has started. */
export const canReadMemory = existsSync("/proc/self/mem");

/** Returns whether the memory of a process has a text, in one or in two bytes for each character. */
export function memoryHas(pid: number, text: string): boolean {
  const forms = [Buffer.from(text, "latin1"), Buffer.from(text, "utf16le")];
  const file = openSync(`/proc/${pid}/mem`, "r");
  try {
    return readableRanges(pid).some((range) => rangeHas(file, range, forms));
  } finally {
    closeSync(file);
  }
}

interface Range {
  start: number;
  end: number;
}

function readableRanges(pid: number): Range[] {
  const lines = readFileSync(`/proc/${pid}/maps`, "latin1").split("\n");
  return lines.flatMap((line) => {
    const [, start = "", end = ""] = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line) ?? [];
    return start === ""
      ? []
      : [{ start: Number.parseInt(start, 16), end: Number.parseInt(end, 16) }];
  });
}

function rangeHas(file: number, { start, end }: Range, forms: readonly Buffer[]): boolean {
  const overlap = Math.max(...forms.map(({ length }) => length));
  const buffer = Buffer.alloc(Math.min(chunkBytes + overlap, end - start));
  for (let at = start; at < end; at += chunkBytes) {
    let read = 0;
    try {
      read = readSync(file, buffer, 0, Math.min(buffer.length, end - at), at);
    } catch {
      // A range of the kernel, or one that was unmapped meanwhile.
      return false;
    }
    const bytes = buffer.subarray(0, read);
    if (forms.some((form) => bytes.includes(form))) return true;
  }
  return false;
}
