import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { pcm } from "../src/audio-files.ts";
import { eventually } from "../src/eventually.ts";
import { livePath } from "../src/live-client.ts";
import { openRawWebSocket } from "../src/raw-websocket.ts";
import { sharedStack } from "../src/shared-stack.ts";
import type { TestAccount } from "../src/stack.ts";

/** Far less than the 30 s after which a closing handshake that does not complete is given up. */
const promptMs = 5_000;

/** What a test does with either client. */
interface Client {
  text(value: object): void;
  audio(bytes: Buffer): void;
  /** Sends a close frame. */
  close(): void;
  /** The text frames received so far. */
  texts: string[];
  /** Resolves with the close code, once the gateway has ended the TCP connection. */
  ended: Promise<number>;
}

interface End {
  model?: string;
  creditUsd?: number;
  code: number;
  /** Ends the stream, whose configuration and three seconds of audio were sent. */
  end(client: Client, account: TestAccount): void | Promise<void>;
}

const nothing = () => {};

const { stack } = await sharedStack();

describe.concurrent("the end of a live transcription", () => {
  async function dialRaw({ key }: TestAccount): Promise<Client> {
    const socket = await openRawWebSocket(stack.url, key);
    return {
      text: (value) => socket.send("text", JSON.stringify(value)),
      audio: (bytes) => socket.send("audio", bytes),
      close: () => socket.send("close", Buffer.from([0x03, 0xe8])),
      texts: socket.texts,
      ended: Promise.all([socket.closeFrame, socket.ended]).then(([code]) => code),
    };
  }

  async function dialNode({ key }: TestAccount): Promise<Client> {
    const url = `${stack.url.replace("http", "ws")}${livePath}`;
    const socket = new WebSocket(url, `openai-insecure-api-key.${key}`);
    const texts: string[] = [];
    socket.addEventListener("message", ({ data }) => texts.push(String(data)));
    const ended = once(socket, "close").then(([event]) => (event as CloseEvent).code);
    await once(socket, "open");
    return {
      text: (value) => socket.send(JSON.stringify(value)),
      audio: (bytes) => socket.send(bytes),
      close: () => socket.close(1_000),
      texts,
      ended,
    };
  }

  const clients = [
    ["a plain TCP client", dialRaw],
    ["Node's own WebSocket", dialNode],
  ] as const;
  const ends: [string, End][] = [
    ["a flush", { code: 1_000, end: (client) => client.text({ action: "flush" }) }],
    ["the client's close frame", { code: 1_000, end: (client) => client.close() }],
    [
      "a late provider's last event",
      { model: "test-hear-late", code: 1_000, end: (client) => client.close() },
    ],
    ["a refused configuration", { model: "nobody", code: 1_008, end: nothing }],
    ["an invalid text frame", { code: 1_008, end: (client) => client.text({ action: "dance" }) }],
    [
      "the end of the wallet",
      {
        creditUsd: 0.001,
        code: 1_008,
        async end(client) {
          await eventually(() => expect(client.texts.length).toBeGreaterThan(0));
          for (let second = 0; second < 20; second += 1) client.audio(pcm(1));
        },
      },
    ],
    [
      "the revocation of its key",
      {
        code: 1_008,
        async end(client, { keyId }) {
          await eventually(() => expect(client.texts.length).toBeGreaterThan(0));
          await stack.operator.revokeKey({ keyId });
        },
      },
    ],
    [
      "the provider's end",
      {
        model: "test-hear-closing",
        code: 1_000,
        async end(client) {
          await eventually(() => expect(client.texts.length).toBeGreaterThan(2));
        },
      },
    ],
    ["the provider's death", { model: "test-hear-dying", code: 1_011, end: nothing }],
    ["a provider that cannot be reached", { model: "test-hear-dead", code: 1_011, end: nothing }],
  ];
  const cases = clients.flatMap(([client, dial]) =>
    ends.map(([name, end]) => [client, name, dial, end] as const),
  );

  test.each(
    cases,
  )("%s sees the connection end at once after %s", async (_client, _name, dial, end) => {
    const account = await stack.newAccount(end.creditUsd ?? 1);
    const client = await dial(account);
    client.text({ model: end.model ?? "test-hear", format: "pcm_s16le" });
    for (let second = 0; second < 3; second += 1) client.audio(pcm(1));
    await end.end(client, account);
    const sentAt = performance.now();
    expect(await client.ended).toBe(end.code);
    expect(performance.now() - sentAt).toBeLessThan(promptMs);
  });
});
