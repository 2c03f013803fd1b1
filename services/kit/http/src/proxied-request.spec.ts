import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createLog } from "@tollgate/core/log";
import { createPeerAuth } from "@tollgate/core/peer-auth";
import { expect, onTestFinished, test } from "vitest";
import { serveUpgrades } from "./proxied-request.ts";

test("an upgrade that the edge did not send is refused before it is accepted", async () => {
  let accepted = 0;
  const accept = () => {
    accepted += 1;
  };
  const server = createServer();
  server.on(
    "upgrade",
    serveUpgrades(accept, { log: createLog("silent"), peerAuth: createPeerAuth({}) }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
  let text = "";
  client.on("data", (part) => {
    text += String(part);
  });
  await once(client, "close");
  expect(text).toMatch(/^HTTP\/1\.1 500 /);
  expect(text).toContain("internal_error");
  expect(accepted).toBe(0);
});
