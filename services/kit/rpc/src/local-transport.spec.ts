import { PeerError } from "@tollgate/core/errors";
import { createLog } from "@tollgate/core/log";
import { ChatService } from "@tollgate/proto/tollgate/v1/chat";
import { expect, test } from "vitest";
import { failureOf, readAll } from "../test/call-outcome.ts";
import { createClient } from "./client.ts";
import { createLocalTransport } from "./local-transport.ts";

const log = createLog("silent");

test("a service that this process does not serve is unavailable", async () => {
  const client = createClient(ChatService, createLocalTransport(log));
  for (const error of [
    await failureOf(client.complete({})),
    (await readAll(client.stream({}))).error,
  ]) {
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ reason: "unavailable" });
  }
});
