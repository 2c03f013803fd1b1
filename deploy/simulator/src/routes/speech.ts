import { z } from "zod";
import { cutConnection, pause, type SimulatorCall, write } from "../call.ts";
import type { RecordedCall } from "../call-log.ts";
import type { Commands } from "../commands.ts";
import { type CommandedCall, commandedRoute } from "../json-route.ts";

const BYTES_PER_CHARACTER = 100;
const DEFAULT_CHUNK_BYTES = 16_384;
/** Byte i of any audio is i modulo this. */
const PERIOD = 251;

const request = z.object({
  model: z.string().min(1),
  input: z.string().min(1),
  voice: z.string().optional(),
  response_format: z.string().optional(),
  speed: z.number().optional(),
});

/** Streams binary audio at the client's pace, in constant memory. */
export const speechRoute = commandedRoute(
  "/v1/audio/speech",
  request,
  async ({ call, recorded, commands }, { input }) => {
    await sendSpeech({ call, recorded, commands }, input, "audio/mpeg");
  },
);

/** Responds with audio of a length that depends on the text. */
export async function sendSpeech(
  { call, recorded, commands }: CommandedCall,
  text: string,
  contentType: string,
): Promise<void> {
  const bytes = commands.bytes ?? text.length * BYTES_PER_CHARACTER;
  const type = commands.audio_type ?? contentType;
  call.response.writeHead(200, type === "" ? {} : { "content-type": type });
  await sendAudio(call, recorded, commands, bytes);
}

async function sendAudio(
  call: SimulatorCall,
  recorded: RecordedCall,
  { cut_after, gap_ms, chunk_bytes = DEFAULT_CHUNK_BYTES }: Commands,
  bytes: number,
): Promise<void> {
  const pattern = Buffer.from(
    Uint8Array.from({ length: PERIOD + chunk_bytes }, (_, index) => index % PERIOD),
  );
  for (let chunk = 0; recorded.bytesSent < bytes; chunk += 1) {
    if (chunk === cut_after) {
      recorded.outcome = "cut";
      cutConnection(call);
      return;
    }
    if (gap_ms) await pause(call, gap_ms);
    const start = recorded.bytesSent % PERIOD;
    const size = Math.min(chunk_bytes, bytes - recorded.bytesSent);
    await write(call, pattern.subarray(start, start + size));
    recorded.bytesSent += size;
  }
  recorded.outcome = "completed";
  call.response.end();
}
