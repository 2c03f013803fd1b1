import type { ProviderRuntime } from "@tollgate/generation/provider-runtime";
import { type ProxiedRequest, sendJsonBytes } from "@tollgate/http/proxied-request";
import { withOcrForm } from "./form.ts";
import { recognizeDocument } from "./recognize-document.ts";

/**
 * Handles POST /v1/ocr, which the edge proxies: sends the provider's JSON, byte for byte. A provider that
 * was called responds although the client leaves.
 */
export async function handleOcr(runtime: ProviderRuntime, request: ProxiedRequest): Promise<void> {
  const { res, caller, cancellation } = request;
  await withOcrForm(runtime, request, async (form, model) => {
    sendJsonBytes(res, await recognizeDocument(runtime, { form, model, caller, cancellation }));
  });
}
