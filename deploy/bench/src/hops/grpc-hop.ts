import { create, type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { createLog } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import {
  ChatService,
  CompleteRequestSchema,
  type CompleteResponse,
  CompleteResponseSchema,
  StreamRequestSchema,
  StreamResponseSchema,
} from "@tollgate/proto/tollgate/v1/chat";
import { createClient } from "@tollgate/rpc/client";
import { serveGrpc } from "@tollgate/rpc/grpc-server";
import { createGrpcTransport } from "@tollgate/rpc/grpc-transport";
import { bindService, type Implementation } from "@tollgate/rpc/implementation";
import type { Hop } from "./hop.ts";
import { handlers, streamRequest, unaryRequest } from "./payload.ts";

const peerAuth = createPeerAuth(undefined);
const timeoutMs = 5_000;
const path = "/tollgate.v1.ChatService";

/** The gateway's own transport: all calls share one multiplexed stream per connection. */
export const muxHop: Hop = {
  serve: serveChat,
  connect(port) {
    const chat = createClient(ChatService, createGrpcTransport(`127.0.0.1:${port}`, peerAuth));
    return {
      async unary() {
        return (await chat.complete(unaryRequest)).body.length;
      },
      async stream(gapMs) {
        let count = 0;
        for await (const _ of chat.stream(streamRequest(gapMs))) count += 1;
        return count;
      },
    };
  },
};

/** grpc-js with one HTTP/2 stream per call. The server is the gateway's, which accepts both. */
export const grpcHop: Hop = {
  serve: serveChat,
  connect(port) {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const metadata = new Metadata();
    const deadline = () => ({ deadline: Date.now() + timeoutMs });
    return {
      async unary() {
        const request = create(CompleteRequestSchema, unaryRequest);
        const { promise, resolve, reject } = Promise.withResolvers<CompleteResponse>();
        client.makeUnaryRequest(
          `${path}/Complete`,
          serializer(CompleteRequestSchema),
          deserializer(CompleteResponseSchema),
          request,
          metadata.clone(),
          deadline(),
          (error, response) => {
            if (error === null) resolve(response as CompleteResponse);
            else reject(error);
          },
        );
        return (await promise).body.length;
      },
      stream(gapMs) {
        const call = client.makeServerStreamRequest(
          `${path}/Stream`,
          serializer(StreamRequestSchema),
          deserializer(StreamResponseSchema),
          create(StreamRequestSchema, streamRequest(gapMs)),
          metadata.clone(),
          deadline(),
        );
        let count = 0;
        return new Promise((resolve, reject) => {
          call.on("data", () => {
            count += 1;
          });
          call.on("end", () => resolve(count));
          call.on("error", reject);
        });
      },
    };
  },
};

async function serveChat(port: number): Promise<void> {
  const notServed = () => Promise.reject(new Error("not served"));
  const implementation = { ...handlers, countTokens: notServed, embed: notServed };
  const chat = bindService(ChatService, implementation as Implementation<typeof ChatService>);
  await serveGrpc(`127.0.0.1:${port}`, [chat], { log: createLog("silent"), peerAuth });
}

function serializer(schema: DescMessage) {
  return (message: Message) => {
    const bytes = toBinary(schema, message);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
}

function deserializer(schema: DescMessage) {
  return (bytes: Buffer): Message => fromBinary(schema, bytes);
}
