/** The one form of audio that a live transcription takes, in the words of its configuration. */
export const liveAudio = { format: "pcm_s16le", sample_rate: 16_000, channels: 1 } as const;
