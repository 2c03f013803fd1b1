const optional = {
  kind: "text",
  dropped: true,
  about:
    "Sent to providers that take the form of OpenAI's API. Others take the file alone: it is accepted, " +
    "and not used. It cannot be set with `stream`.",
} as const;

const forForms = {
  "timestamp_granularities[]": {
    kind: "text",
    many: true,
    options: ["word", "segment"],
    about:
      "With the `response_format` `verbose_json`: the times that the response has. Only for an alias " +
      "whose providers take the form of OpenAI's API. It cannot be set with `stream`.",
  },
} as const;

/** The form of a transcription, which the audio service validates. */
export const transcriptionForm = {
  file: {
    kind: "file",
    about:
      "The audio: WAV, FLAC or Ogg Opus; with `stream`, 16 kHz mono PCM, raw or in a WAV. " +
      "The content type of the part is sent to the provider.",
  },
  model: {
    kind: "text",
    required: true,
    about: "The alias of a model whose `route_type` is `transcriptions`.",
  },
  stream: {
    kind: "text",
    options: ["true", "false", ""],
    about: "`true` sends server-sent events instead of one JSON object.",
  },
  language: {
    kind: "text",
    about:
      "The spoken language, as the provider of the model names it. Some aliases require it. It " +
      "cannot be set with `stream`.",
  },
  prompt: optional,
  response_format: {
    ...optional,
    about:
      "`json` (the default), `verbose_json` and `diarized_json` are sent to providers that take the form " +
      "of OpenAI's API. Any other value is accepted, and not used. It cannot be set with `stream`.",
  },
  temperature: optional,
} as const;

/** The form for an alias whose providers take the form of OpenAI's API. */
export const fullTranscriptionForm = { ...transcriptionForm, ...forForms } as const;

/** The fields that a stream refuses unless they are empty, with the reason. */
export const refusedInStreams = {
  language: "is detected in a stream, and cannot be chosen",
  prompt: "cannot be set with stream",
  response_format: "cannot be set with stream, which sends server-sent events",
  temperature: "cannot be set with stream",
  "timestamp_granularities[]": "cannot be set with stream",
} as const;
