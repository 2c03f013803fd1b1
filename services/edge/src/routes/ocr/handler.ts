import type { KeyedHandler } from "../../http/handler.ts";
import { forwardUpload } from "../../proxy/upload-handler.ts";
import type { RouteDependencies } from "../dependencies.ts";

/** POST /v1/ocr. The document service reads the form. */
export function readDocument(dependencies: RouteDependencies): KeyedHandler {
  return forwardUpload(dependencies, dependencies.proxies.document);
}
