import {
  agentTurn,
  chatKeyed,
  chatStream,
  chatStreamDisconnected,
  chatStreamKeyed,
  chatWorkload,
  conversation,
} from "./chat-workloads.ts";
import {
  classificationWorkload,
  embeddingsWorkload,
  imagesKeyed,
  imagesWorkload,
  liveTranscription,
  ocrJobWorkload,
  ocrWorkload,
  rerankWorkload,
  speechWorkload,
  transcription,
  transcriptionStream,
} from "./specialty-workloads.ts";
import type { FaultWorkload } from "./workload.ts";

interface WeightedWorkload {
  /** Its share of the requests. */
  weight: number;
  run: FaultWorkload;
}

/** The workloads whose clients wait for the response. */
export const waitingWorkloads: readonly WeightedWorkload[] = [
  { weight: 20, run: chatWorkload },
  { weight: 16, run: chatStream },
  { weight: 6, run: agentTurn },
  { weight: 8, run: chatKeyed },
  { weight: 5, run: chatStreamKeyed },
  { weight: 4, run: conversation },
  { weight: 7, run: embeddingsWorkload },
  { weight: 5, run: rerankWorkload },
  { weight: 5, run: classificationWorkload },
  { weight: 4, run: imagesWorkload },
  { weight: 3, run: imagesKeyed },
  { weight: 5, run: speechWorkload },
  { weight: 4, run: transcription },
  { weight: 3, run: transcriptionStream },
  { weight: 3, run: liveTranscription },
  { weight: 4, run: ocrWorkload },
  { weight: 3, run: ocrJobWorkload },
];

/** Every workload; together they cover every billable route. */
export const workloads: readonly WeightedWorkload[] = [
  ...waitingWorkloads,
  { weight: 6, run: chatStreamDisconnected },
];
