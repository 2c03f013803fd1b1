import { type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import { type ChannelOptions, logVerbosity, setLogVerbosity } from "@grpc/grpc-js";
import { encodeMessage, inOnePart } from "./encoded-message.ts";
import { responseWindowBytes } from "./flow-control.ts";

// grpc-js would write its own lines to standard error, between the JSON lines of our log. Whatever
// it reports reaches us as an error too.
setLogVerbosity(logVerbosity.NONE);

/** The largest message that either side accepts: a 32 MiB body and the fields around it. */
const maxMessageBytes = 40 * 1024 * 1024;

/** The settings of both ends of a connection. */
export const channelOptions: ChannelOptions = {
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
  "grpc-node.flow_control_window": responseWindowBytes,
  // A peer that was lost without a word, such as that of a failed machine, is noticed within 25 s. One that
  // is paused, or waits for CPU, must not lose its calls.
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 15_000,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 500,
  "grpc.dns_min_time_between_resolutions_ms": 1_000,
  // A target that only gRPC can resolve may have several addresses.
  "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
};

export function serializer(schema: DescMessage): (message: Message) => Buffer {
  return (message) => asBuffer(inOnePart(encodeMessage(schema, message)));
}

/** Returns a view of the same bytes. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function deserializer(schema: DescMessage): (bytes: Buffer) => Message {
  return (bytes) => fromBinary(schema, bytes);
}
