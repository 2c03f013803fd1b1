import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { expect, test } from "vitest";
import { bindService } from "./implementation.ts";

test("a service cannot be bound while one of its methods has no handler", () => {
  expect(() => bindService(ChatService, { complete: async () => ({}) } as never)).toThrow(
    "tollgate.v1.ChatService.Stream has no handler",
  );
});
