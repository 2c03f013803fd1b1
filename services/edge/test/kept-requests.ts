import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createPendingRequests } from "../src/http/pending-requests.ts";

/**
 * Adds 2,000 requests of 8 KiB each to the pending requests and removes them, 16 at a time, and prints
 * how many bytes are left of all that after collections of the young generation alone.
 */
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options?: { type: "minor" }) => void;
const socket = new Socket();
const leaving = new AbortController().signal;
const pending = createPendingRequests<ReturnType<typeof begin>>({ leaving, onBodyTimeout() {} });

function begin() {
  const req = new IncomingMessage(socket);
  return { req, res: new ServerResponse(req), index: -1, content: new Array(1024).fill(0) };
}

function addAndRemove(count: number): void {
  const open = [];
  for (let begun = 0; begun < count; begun += 1) {
    const request = begin();
    pending.add(request);
    open.push(request);
    const oldest = open.length > 16 ? open.shift() : undefined;
    if (oldest !== undefined) pending.remove(oldest);
    if (begun % 50 === 0) collect({ type: "minor" });
  }
  for (const request of open) pending.remove(request);
}

addAndRemove(100);
collect();
const before = process.memoryUsage().heapUsed;
addAndRemove(2_000);
// A collection copies what it finds in use, and the next one frees it.
for (let pass = 0; pass < 3; pass += 1) collect({ type: "minor" });
process.stdout.write(`${process.memoryUsage().heapUsed - before}\n`);
