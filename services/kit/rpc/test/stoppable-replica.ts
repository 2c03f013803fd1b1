import { once } from "node:events";
import { createLog } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { channelOptions } from "../src/grpc-channel.ts";
import { serveGrpc } from "../src/grpc-server.ts";
import { bindService } from "../src/implementation.ts";

/**
 * Serves at the address that is its argument. Prints a line when it listens and when a call has begun, and
 * returns the response once it is sent a line.
 */
const [, , address = ""] = process.argv;
channelOptions["grpc.keepalive_time_ms"] = 100;
const chat = bindService(ChatService, {
  async complete() {
    process.stdout.write("begun\n");
    await once(process.stdin, "data");
    return {};
  },
  async *stream() {},
  countTokens: async () => ({}),
  embed: async () => ({}),
});
const peerAuth = createPeerAuth({});
await serveGrpc(address, [chat], { log: createLog("silent"), peerAuth });
process.stdout.write("listening\n");
process.stdin.once("end", () => process.exit());
