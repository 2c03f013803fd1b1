import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pcm } from "../audio-files.ts";
import { liveClient } from "../live-client.ts";
import { randomOf } from "../random.ts";
import type { Stack } from "../stack.ts";
import type { Attack } from "./attack.ts";
import { changeKey, creditOneMicroUsd } from "./attacker.ts";

/** What a client saw of its request. */
export interface Sight {
  status: number;
  requestId: string | undefined;
  text: string;
}

/** A client that has left, or whose audio may have no end, gives up after this. Others wait longer. */
const shortPatienceMs = 1_500;
const longPatienceMs = 60_000;

/** Sends an attack, in all its copies. Resolves when each has ended for the client. */
export async function carryOut(stack: Stack, attack: Attack, seed: number): Promise<Sight[]> {
  const { attacker, keyIndex, copies, call } = attack;
  const random = randomOf(seed, "around the attack", attack.number);
  if (attacker.means === "micro" && random.percent(5)) await creditOneMicroUsd(stack, attacker);
  const key = attacker.keys[keyIndex]?.key ?? "";
  const send = call.path.endsWith("/stream") ? talkLive : sendRaw;
  const sent = Array.from({ length: copies }, () => send(stack, attack, key));
  if (attacker.tactic === "changes keys" && random.percent(30)) {
    await sleep(random.integer(0, 100));
    await changeKey(stack, attacker, keyIndex, random.pick([undefined, 0, 2]));
  }
  const sights = await Promise.all(sent);
  const jobId = /"job_id":\s*"([^"]+)"/.exec(sights[0]?.text ?? "")?.[1];
  if (jobId !== undefined) await readJob(stack, attack, jobId, random.integer(0, 4));
  return sights;
}

/** Writes a request by hand, and leaves as the attack says. */
function sendRaw({ url }: Stack, attack: Attack, key: string): Promise<Sight> {
  const { hostname, port } = new URL(url);
  const { departure, body, sent } = attack;
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const ended = Promise.withResolvers<void>();
  let received = 0;
  let text = "";
  let hasLeft = false;
  const leave = () => {
    if (hasLeft || departure === undefined) return;
    hasLeft = true;
    if (departure.by === "closing") socket.destroy();
    else if (departure.by === "a reset") socket.resetAndDestroy();
    else if (departure.by === "half-closing") socket.end();
    else socket.pause();
  };
  socket.on("data", (chunk: Buffer) => {
    received += chunk.byteLength;
    if (text.length < 4_096) text += chunk.toString("latin1");
    if (departure !== undefined && received >= departure.afterBytes) leave();
  });
  socket.on("error", () => {});
  socket.on("end", () => socket.destroy());
  socket.on("close", () => ended.resolve());
  const timers = [
    setTimeout(() => socket.destroy(), patienceOf(attack)),
    ...(departure === undefined ? [] : [setTimeout(leave, departure.afterMs)]),
  ];
  const head = headOf(attack, key);
  const bytes = Buffer.concat([head, body.subarray(0, Math.floor(body.byteLength * sent))]);
  void writeAll(socket, bytes, attack.pauseMs);
  return ended.promise.then(() => {
    for (const timer of timers) clearTimeout(timer);
    const status = Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0);
    return { status, requestId: /x-request-id: (\S+)/i.exec(text)?.[1], text };
  });
}

function patienceOf({ attacker, departure, call }: Attack): number {
  const isEndless = call.isAudioStream === true && attacker.tactic !== "is honest";
  return departure !== undefined || isEndless ? shortPatienceMs : longPatienceMs;
}

function headOf({ call, headers, body, number }: Attack, key: string): Buffer {
  const lines = {
    host: "tollgate",
    connection: "close",
    authorization: `Bearer ${key}`,
    "content-length": body.byteLength,
    traceparent: `00-5eed${number.toString(16).padStart(28, "0")}-${"1".repeat(16)}-00`,
    ...headers,
  };
  const fields = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${call.path} HTTP/1.1\r\n${fields.join("")}\r\n`);
}

async function writeAll(socket: ReturnType<typeof connect>, bytes: Buffer, pauseMs: number) {
  if (pauseMs === 0) return void socket.write(bytes);
  const size = Math.ceil(bytes.byteLength / 10);
  for (let at = 0; at < bytes.byteLength && socket.writable; at += size) {
    socket.write(bytes.subarray(at, at + size));
    await sleep(pauseMs);
  }
}

/** Streams audio, flushes it or not, and leaves, falls silent, or waits for the end. */
async function talkLive(stack: Stack, attack: Attack, key: string): Promise<Sight> {
  const { departure, seconds, alias, attacker, keyIndex } = attack;
  const account = attacker.keys[keyIndex] ?? { accountId: "", keyId: "", key };
  const opened = await liveClient(stack, account)
    .start({ model: alias }, key)
    .catch(() => undefined);
  if (opened === undefined) return { status: 0, requestId: undefined, text: "" };
  const { socket, requestId, frames, closed } = opened;
  socket.on("error", () => {});
  socket.send(pcm(seconds));
  const timers = [setTimeout(() => socket.terminate(), patienceOf(attack))];
  if (departure === undefined) socket.send(JSON.stringify({ action: "flush" }));
  else if (departure.by !== "falling silent") {
    const leave = () => (departure.by === "a reset" ? socket.terminate() : socket.close());
    timers.push(setTimeout(leave, departure.afterMs));
  }
  await closed;
  for (const timer of timers) clearTimeout(timer);
  return { status: 101, requestId, text: JSON.stringify(frames) };
}

/** Reads a job several times at once. */
async function readJob({ url }: Stack, attack: Attack, jobId: string, times: number) {
  const key = attack.attacker.keys[attack.keyIndex]?.key;
  const headers = { authorization: `Bearer ${key}` };
  const path = `${url}${attack.call.path}/${jobId}?model=${attack.alias}`;
  const reads = Array.from({ length: times }, () => fetch(path, { headers }));
  for (const read of await Promise.all(reads)) await read.arrayBuffer();
}
