import { useMutation } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { ProviderModel } from "@tollgate/proto/tollgate/v1/slot_test";
import type { DraftEntry } from "./draft/document.ts";
import { catalogOfProvider } from "./draft/tried-catalog.ts";

/** A provider that is not published. */
export interface TriedProvider {
  name: string;
  entry: DraftEntry;
  /** Sent to this provider alone. Empty: the key that the entry names. */
  apiKey: string;
}

export type ProviderListing = ReturnType<typeof useProviderModels>;

/** Returns a call that lists the models of a provider. The page forgets the key with the call. */
export function useProviderModels() {
  const call = useMutation(OperatorService.method.listProviderModels, { gcTime: 0 });
  return {
    ...call,
    /** Whether the call has failed, or the provider has refused it. */
    isRefused: call.error !== null || (call.data?.error ?? "") !== "",
    /** Calls the provider; `onListed` gets the models where it has listed them. */
    list({ name, entry, apiKey }: TriedProvider, onListed?: (models: ProviderModel[]) => void) {
      const unsaved = { text: catalogOfProvider(name, entry), apiKey };
      call.mutate(
        { provider: name, unsaved },
        { onSuccess: ({ models, error }) => error === "" && onListed?.(models) },
      );
    },
  };
}
