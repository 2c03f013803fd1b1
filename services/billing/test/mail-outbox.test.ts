import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createLog } from "@tollgate/core/log";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Mail } from "../src/mail/messages.ts";
import { createSmtp } from "../src/mail/smtp.ts";
import { type MessageOutbox, openOutbox } from "../src/outbox/outbox.ts";
import { createSealer } from "../src/sealing.ts";
import { type IdentityUnderTest, startIdentity } from "./identity-under-test.ts";

const hourMs = 3_600_000;
const from = "Tollgate <no-reply@tollgate.example>";

describe("the outbox of mail", () => {
  let tested: IdentityUnderTest;
  let server: SMTPServer;
  let url = "";
  let nowMs = Date.now();
  let isBusy = false;
  const received: string[] = [];
  const opened: { outbox: MessageOutbox<Mail>; close(): void }[] = [];

  beforeAll(async () => {
    tested = await startIdentity(() => new Date());
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onRcptTo({ address }, _session, done) {
        if (isBusy) return done(Object.assign(new Error("try later"), { responseCode: 451 }));
        if (!address.startsWith("nobody")) return done();
        return done(Object.assign(new Error("no such user"), { responseCode: 550 }));
      },
      onData(stream, _session, done) {
        text(stream).then((content) => {
          received.push(content);
          done();
        }, done);
      },
    });
    server.on("error", () => {});
    server.listen(0, "127.0.0.1");
    await once(server.server, "listening");
    url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await tested.stop();
  });

  afterEach(async () => {
    for (const { outbox, close } of opened.splice(0)) {
      await outbox.stop();
      close();
    }
    await tested.prisma.outbox.deleteMany({});
    received.length = 0;
    isBusy = false;
    nowMs = Date.now();
  });

  /** Opens the outbox as one replica does. */
  function open(smtpUrl = url): MessageOutbox<Mail> {
    const { prisma } = tested;
    const { send, close } = createSmtp({ smtpUrl, from });
    const sealer = createSealer("x".repeat(32));
    const clock = { log: createLog("silent"), now: () => new Date(nowMs) };
    const parts = { prisma, sealer, queue: "mail", send, ...clock } as const;
    const outbox = openOutbox(parts);
    opened.push({ outbox, close });
    return outbox;
  }

  const mailTo = (to: string) => ({
    to,
    subject: "Hello",
    text: "https://example.com/reset#secret",
  });
  const waiting = () => tested.prisma.outbox.findMany();

  test("sends a mail once although several replicas wake for it, and keeps nothing of it", async () => {
    const replicas = [open(), open(), open()];
    const addresses = Array.from({ length: 12 }, (_, number) => `p${number}@example.com`);
    for (const to of addresses) await replicas[0]?.add(tested.prisma, mailTo(to));
    for (const replica of replicas) replica.wake();
    await expect.poll(waiting, { timeout: 20_000 }).toEqual([]);
    const recipients = received.map((content) => /^To: (.*)\r$/m.exec(content)?.[1]);
    expect(recipients.sort()).toEqual(addresses.toSorted());
    expect(received[0]).toContain("https://example.com/reset#secret");
    expect(received[0]).toMatch(/^From: Tollgate <no-reply@tollgate\.example>\r$/m);
  });

  test("what waits is encrypted", async () => {
    const outbox = open("smtp://127.0.0.1:1");
    await outbox.add(tested.prisma, mailTo("ada@example.com"));
    const [mail] = await waiting();
    for (const part of ["ada@example.com", "secret"]) {
      expect(Buffer.from(mail?.sealed ?? []).includes(part)).toBe(false);
    }
  });

  test("a mail that the server cannot take yet is sent later", async () => {
    isBusy = true;
    const outbox = open();
    await outbox.add(tested.prisma, mailTo("ada@example.com"));
    outbox.wake();
    const isPaused = async () => {
      const [mail] = await waiting();
      const pauseMs = (mail?.nextAttemptAt.getTime() ?? 0) - nowMs;
      return mail?.attempts === 1 && pauseMs <= 15_000;
    };
    await expect.poll(isPaused, { timeout: 20_000 }).toBe(true);
    isBusy = false;
    nowMs += 15_000;
    outbox.wake();
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1);
  });

  test("a mail that was claimed by a replica that died is sent by another", async () => {
    const outbox = open();
    await outbox.add(tested.prisma, mailTo("ada@example.com"));
    const dead = { attempts: 1, nextAttemptAt: new Date(nowMs + 5 * 60_000) };
    await tested.prisma.outbox.updateMany({ data: dead });
    nowMs += 5 * 60_000;
    outbox.wake();
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1);
  });

  test("a mail is given up after a day, or at once for an address that does not exist", async () => {
    isBusy = true;
    const outbox = open();
    await outbox.add(tested.prisma, mailTo("ada@example.com"));
    nowMs += 24 * hourMs;
    outbox.wake();
    await expect.poll(waiting, { timeout: 20_000 }).toEqual([]);
    isBusy = false;
    await outbox.add(tested.prisma, mailTo("nobody@example.com"));
    outbox.wake();
    await expect.poll(waiting, { timeout: 20_000 }).toEqual([]);
    expect(received).toEqual([]);
  });
});
