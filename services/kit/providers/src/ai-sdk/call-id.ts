import { randomUUID } from "node:crypto";
import type { Shape } from "./shape.ts";

/** The id of a call. One without any gets its own, as the client answers by it. */
export const callId: Shape = (value) =>
  typeof value === "string" && value !== "" ? value : `call_${randomUUID().replaceAll("-", "")}`;
