import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@tollgate/core/log";
import {
  certificateBytes,
  createAuthority,
  createCertificate,
  servedCertificate,
} from "@tollgate/local/test-certificates";
import { FleetCertificates } from "@tollgate/rpc/fleet-certificates";
import { expect, inject, test } from "vitest";
import { chatBody, send } from "../src/request.ts";
import { chatServices, startStack } from "../src/stack.ts";
import { startSteadyLoad } from "../src/steady-load.ts";

const clients = 6;
/** The files are read again every ten seconds. */
const waitOptions = { timeout: 120_000, interval: 250 };

/** One process has no calls between services. */
test.skipIf(inject("shape") !== "fleet")(
  "certificates between services are replaced under load, and no request fails",
  { timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "tollgate-tls-"));
    const authority = await createAuthority();
    /** Writes a new certificate, and resolves with it. */
    const replace = async () => {
      const { cert, key } = await createCertificate(authority, "fleet.test");
      await writeFile(join(folder, "tls.crt"), cert);
      await writeFile(join(folder, "tls.key"), key);
      await writeFile(join(folder, "ca.crt"), authority.cert);
      return { cert, key };
    };
    await replace();
    const certificates = new FleetCertificates(folder, createLog("silent"));
    const stack = await startStack(
      { TOLLGATE_TLS_DIR: folder, TOLLGATE_DRAIN_SECONDS: "2" },
      { replicas: 2, services: chatServices, certificates },
    );
    try {
      const { key } = await stack.newAccount(100);
      const load = startSteadyLoad(clients, (index) =>
        send(`${stack.urls[index % stack.urls.length]}/v1/chat/completions`, {
          key,
          body: chatBody({ model: "test-small", max_tokens: 20 }),
        }),
      );
      for (let round = 0; round < 2; round += 1) {
        const own = await replace();
        await expect
          .poll(() => servedCertificate(stack.operatorAddress, own), waitOptions)
          .toBe(certificateBytes(own));
        const before = load.responses.length;
        // It connects to all others, which connect to it, with the new certificates.
        const startAgain = await stack.stopService?.("chat");
        await startAgain?.();
        await expect
          .poll(() => load.responses.length, waitOptions)
          .toBeGreaterThan(before + clients);
      }
      const responses = await load.stop();
      expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    } finally {
      await stack.stop();
      certificates.close();
      await rm(folder, { recursive: true });
    }
  },
);
