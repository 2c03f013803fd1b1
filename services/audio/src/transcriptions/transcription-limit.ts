import { SlotFailure } from "@tollgate/upstream/failure";

/**
 * How long the transcription of one file may take, at all slots together. A provider without a timeout
 * of its own may take all of it.
 */
export const maxTranscriptionMs = 240_000;

/**
 * Starts the time limit. Unlike that of `AbortSignal.timeout`, its timer can be stopped: it would
 * retain the buffers of a transcription that has ended for four minutes.
 */
export function startTranscriptionLimit() {
  const controller = new AbortController();
  const end = () => controller.abort(new DOMException("the time limit has passed", "TimeoutError"));
  const timer = setTimeout(end, maxTranscriptionMs);
  return { signal: controller.signal, stop: () => clearTimeout(timer) };
}

/** Returns the failure of a slot that took longer than the time limit; any other error as it is. */
export function asTimedOut(error: unknown): unknown {
  if (!(error instanceof DOMException) || error.name !== "TimeoutError") return error;
  return new SlotFailure("unreachable", "the transcription took longer than the gateway allows");
}
