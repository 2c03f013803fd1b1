import { errorMessageOf } from "../../calls/query-client.ts";
import { ProviderErrorText } from "../models/test-slot.tsx";
import type { ProviderListing } from "./use-provider-models.ts";

/** Why a provider has listed no models. Nothing where it has. */
export function ListingProblem({ listing }: { listing: ProviderListing }) {
  const { data, error, isRefused } = listing;
  if (!isRefused) return null;
  return (
    <p className="form-error" role="alert">
      {error ? (
        errorMessageOf(error)
      ) : (
        <ProviderErrorText status={data?.status ?? 0} error={data?.error ?? ""} />
      )}
    </p>
  );
}
