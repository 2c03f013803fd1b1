import { z } from "zod";

/** The only audio format of a live transcription, as its configuration frame names it. */
export const liveAudio = { format: "pcm_s16le", sample_rate: 16_000, channels: 1 } as const;

const seconds = z.number().min(0);

/** An event of a transcription in progress: the audio service sends it, the edge describes it. */
export const transcriptEventSchema = z.object({
  type: z.enum(["transcription.partial", "transcription.final", "transcription.refine"]),
  text: z.string(),
  start: seconds.describe("Seconds from the start of the audio.").optional(),
  end: seconds.describe("Seconds from the start of the audio.").optional(),
  speaker: z.string().describe("The label of the speaker.").optional(),
  duration: seconds
    .describe("On final events: the seconds of audio that the event covers.")
    .optional(),
  lang: z.string().describe("On refine events: the detected language.").optional(),
});

export type TranscriptEvent = z.infer<typeof transcriptEventSchema>;
