import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { expect, test } from "vitest";
import { offer } from "./implementation.ts";

test("a service without all its methods is not offered", () => {
  expect(() => offer(ChatService, { complete: async () => ({}) } as never)).toThrow(
    "tollgate.v1.ChatService.Stream is missing",
  );
});
