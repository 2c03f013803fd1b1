import type { Message } from "@bufbuild/protobuf";

/** What answers a call with a stream, however it travels. */
export interface AnswerStream {
  /** The next message, or null after the last. Raises the error with which the call ended. */
  next(): Promise<Message | null>;
  /** Ends the call, if it has not ended. */
  close(): void;
}
