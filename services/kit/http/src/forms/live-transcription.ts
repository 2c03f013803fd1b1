import { z } from "zod";

/** The one form of audio that a live transcription takes, in the words of its configuration. */
export const liveAudio = { format: "pcm_s16le", sample_rate: 16_000, channels: 1 } as const;

const seconds = z.number().min(0);

/**
 * What clients are told of a stream of audio: the audio service makes it, the edge describes it.
 */
export const transcriptEventSchema = z.object({
  type: z.enum(["transcription.partial", "transcription.final", "transcription.refine"]),
  text: z.string(),
  start: seconds.describe("Seconds from the start of the audio.").optional(),
  end: seconds.describe("Seconds from the start of the audio.").optional(),
  speaker: z.string().describe("A label of who speaks.").optional(),
  duration: seconds.describe("On finals: the seconds of audio that it covers.").optional(),
  lang: z.string().describe("On refinements: the language that was found.").optional(),
});

export type TranscriptEvent = z.infer<typeof transcriptEventSchema>;
