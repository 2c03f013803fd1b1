import type { Vendor } from "./vendor.ts";

/**
 * The columns of a vendor that does nothing its own way, which a record spreads and replaces where the
 * vendor does. What decides a charge has no default: each record says it.
 */
export const plainVendor = {
  routeBaseUrls: {},
  regions: undefined,
  hasProjects: false,
  takesTokens: false,
  transcriptionForms: "never" as const,
  knownTranscribers: undefined,
  chatParameters: new Set(),
  chatInputs: new Set(),
  takesOtherMembers: false,
  nativeWires: new Set(),
  variables: undefined,
  identity: undefined,
  chat: undefined,
  json: {},
  refusedMembers: {},
  omittedMembers: {},
  ocr: undefined,
  speech: undefined,
  transcription: undefined,
  live: undefined,
  modelList: undefined,
} satisfies Partial<Vendor>;
