import {
  agentTurn,
  chat,
  chatKeyed,
  chatStream,
  chatStreamDisconnected,
  chatStreamKeyed,
  conversation,
} from "./chat-workloads.ts";
import {
  classification,
  embeddings,
  images,
  imagesKeyed,
  liveTranscription,
  ocr,
  ocrJob,
  rerank,
  speech,
  transcription,
  transcriptionStream,
} from "./specialty-workloads.ts";
import type { Workload } from "./workload.ts";

interface WeightedWorkload {
  /** Its share of the requests. */
  weight: number;
  run: Workload;
}

/** The workloads whose clients wait for the response. */
export const waitingWorkloads: readonly WeightedWorkload[] = [
  { weight: 20, run: chat },
  { weight: 16, run: chatStream },
  { weight: 6, run: agentTurn },
  { weight: 8, run: chatKeyed },
  { weight: 5, run: chatStreamKeyed },
  { weight: 4, run: conversation },
  { weight: 7, run: embeddings },
  { weight: 5, run: rerank },
  { weight: 5, run: classification },
  { weight: 4, run: images },
  { weight: 3, run: imagesKeyed },
  { weight: 5, run: speech },
  { weight: 4, run: transcription },
  { weight: 3, run: transcriptionStream },
  { weight: 3, run: liveTranscription },
  { weight: 4, run: ocr },
  { weight: 3, run: ocrJob },
];

/** Every workload; together they cover every billable route. */
export const workloads: readonly WeightedWorkload[] = [
  ...waitingWorkloads,
  { weight: 6, run: chatStreamDisconnected },
];
