import type { Readable } from "node:stream";
import type { Slot } from "@tollgate/catalog/model";
import type { JsonObject } from "@tollgate/core/json";
import type { ProviderClient } from "@tollgate/upstream/provider-client";

/** The form of an OCR request, which can be read more than once. */
export interface OcrUpload {
  /** The content type of the form itself, with its boundary. */
  contentType: string;
  bytes: number;
  read(): Readable;
  /** Never empty. */
  files: readonly OcrFile[];
  /** Empty where the form has none. */
  diplomatic: string;
  /** Empty where the form has none. */
  language: string;
}

/** A file of the form. */
export interface OcrFile {
  /** As the form declares it. */
  contentType: string;
  /** Its first bytes, 16 or all. */
  head: Buffer;
  isPdf: boolean;
  bytes: number;
  read(): Readable;
}

export interface OcrCall {
  requestId: string;
  signal: AbortSignal;
}

/** What a client is sent. */
export interface OcrResponse {
  status: number;
  bytes: Uint8Array;
  value: JsonObject;
}

/**
 * Speaks the wire of one kind of provider for OCR and its jobs. Each call throws what
 * `ProviderClient.send` throws, and a SlotFailure for a response that reports an error or has not the
 * provider's form.
 */
export interface OcrAdapter {
  /** Throws `invalid_param` for a form that the provider cannot be sent. */
  check?(upload: OcrUpload): void;
  /** Reads a document. */
  read(
    providers: ProviderClient,
    slot: Slot,
    upload: OcrUpload,
    call: OcrCall,
  ): Promise<OcrResponse>;
  /** Creates a job. The response has its `job_id` and its `status`. */
  createJob(
    providers: ProviderClient,
    slot: Slot,
    upload: OcrUpload,
    call: OcrCall,
  ): Promise<OcrResponse>;
  /** Reads a job: its `status`, and what it has read. A failed job is a response, not a SlotFailure. */
  readJob(
    providers: ProviderClient,
    slot: Slot,
    jobId: string,
    signal: AbortSignal,
  ): Promise<OcrResponse>;
}
