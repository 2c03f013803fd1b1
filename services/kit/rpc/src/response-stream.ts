import type { Message } from "@bufbuild/protobuf";

/** The response to a server-streaming call, on the mux or in a gRPC call of its own. */
export interface ResponseStream {
  /** Returns the next message, or null after the last. Throws the error that ended the call. */
  next(): Promise<Message | null>;
  /** Cancels the call if it has not ended. */
  close(): void;
}
