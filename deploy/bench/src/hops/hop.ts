/** The ways in which a call can travel. The first is the baseline of the ratios. */
export const hopNames = ["grpc", "mux", "http"] as const;
export type HopName = (typeof hopNames)[number];

/** The client's side of a hop. */
export interface HopClient {
  /** Sends the 1 KB request. Resolves with the size of the response's body. */
  unary(): Promise<number>;
  /** Reads a stream to its end. Resolves with its number of messages. */
  stream(gapMs: number): Promise<number>;
}

/** One way of calling a service in another process. */
export interface Hop {
  serve(port: number): Promise<void>;
  connect(port: number): HopClient;
}
