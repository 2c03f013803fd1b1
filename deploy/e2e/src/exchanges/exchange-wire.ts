/** The API that a client speaks. */
export type ExchangeWire = "chat" | "messages" | "responses";
