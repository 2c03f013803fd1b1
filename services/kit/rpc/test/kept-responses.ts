import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createLog } from "@tollgate/core/log";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { createClient } from "../src/client.ts";
import { bindService } from "../src/implementation.ts";
import { createLocalTransport } from "../src/local-transport.ts";

/**
 * Makes 40 calls whose handler returns 256 KiB each, and prints how many bytes are left of all that
 * after collections of the young generation alone.
 */
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options?: { type: "minor" }) => void;
const transport = createLocalTransport(createLog("silent"));
const complete = async () => ({ totalTokens: 1n, unsent: new Array(32 * 1024).fill(0) });
const stream = async function* () {};
transport.add(
  bindService(ChatService, {
    complete,
    countTokens: async () => ({}),
    embed: async () => ({}),
    stream,
  }),
);
const client = createClient(ChatService, transport);
const call = () => client.complete({}, { signal: new AbortController().signal });
await call();
collect();
const before = process.memoryUsage().heapUsed;
for (let made = 0; made < 40; made += 1) await call();
// A collection copies what it finds in use, and the next one frees it.
for (let pass = 0; pass < 3; pass += 1) collect({ type: "minor" });
process.stdout.write(`${process.memoryUsage().heapUsed - before}\n`);
