import { type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { type ChannelOptions, logVerbosity, setLogVerbosity } from "@grpc/grpc-js";
import { answerWindowBytes } from "./flow-control.ts";

// What it has to say reaches us as errors; a line of its own on standard error would come beside
// ours.
setLogVerbosity(logVerbosity.NONE);

/** The largest message either side takes: a 32 MiB body and what surrounds it. */
const maxMessageBytes = 40 * 1024 * 1024;

/** Settings that both ends share. */
export const channelOptions: ChannelOptions = {
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
  "grpc-node.flow_control_window": answerWindowBytes,
  "grpc.keepalive_time_ms": 20_000,
  "grpc.keepalive_timeout_ms": 5_000,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 500,
  "grpc.dns_min_time_between_resolutions_ms": 1_000,
  "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
};

export function serializer(schema: DescMessage): (message: Message) => Buffer {
  return (message) => asBuffer(toBinary(schema, message));
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function deserializer(schema: DescMessage): (bytes: Buffer) => Message {
  return (bytes) => fromBinary(schema, bytes);
}
