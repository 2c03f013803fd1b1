import type { ProviderModel } from "@tollgate/proto/tollgate/v1/slot_test";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Choice, Field } from "../../ui/form.tsx";
import type { DraftEntry } from "./draft/document.ts";
import { entryKind, freeName, type KnownVendor, knownVendors, namedKind } from "./draft/vendors.ts";
import { ListingProblem } from "./listing-problem.tsx";
import type { DraftEditing } from "./use-draft.ts";
import { type TriedProvider, useProviderModels } from "./use-provider-models.ts";

interface Props {
  draft: DraftEditing;
  /** What was entered before, where the person comes back to it. */
  entered: TriedProvider | undefined;
  onEntered: (entered: TriedProvider, models: readonly ProviderModel[]) => void;
}

/** Asks for the address and the key of a provider, and tests them. */
export function ConnectionForm({ draft, entered, onEntered }: Props) {
  const [isSkipping, setSkipping] = useState(false);
  const listing = useProviderModels();
  const chosen = useChosenVendor(draft, entered);
  const { vendor, name, baseUrl, nameProblem } = chosen;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (nameProblem !== undefined) return;
    const values = new FormData(event.currentTarget);
    const apiKey = String(values.get("key") ?? "").trim();
    const region = String(values.get("region") ?? "").trim();
    const next = { name, entry: toEntry(vendor, baseUrl.trim(), region), apiKey };
    if (isSkipping) onEntered(next, []);
    else listing.list(next, (found) => onEntered(next, found));
  };
  const choose = (title: string) => {
    chosen.choose(title);
    listing.reset();
  };
  return (
    <form className="form" onSubmit={submit} autoComplete="off">
      <Choice
        label="Vendor"
        options={knownVendors.map(({ title }) => [title, title])}
        value={vendor.title}
        onChange={(event) => choose(event.target.value)}
      />
      <AddressFields {...chosen} />
      <Field
        label="API key"
        name="key"
        type="password"
        defaultValue={entered?.apiKey}
        autoComplete="new-password"
        spellCheck={false}
        className="mono"
      />
      <ListingProblem listing={listing} />
      <div className="form-buttons">
        {listing.isRefused && (
          <Button type="submit" look="quiet" onClick={() => setSkipping(true)}>
            Go on without a list
          </Button>
        )}
        <Button
          type="submit"
          look="primary"
          disabled={listing.isPending}
          onClick={() => setSkipping(false)}
        >
          {listing.isPending ? "The provider is called…" : "Test the key"}
        </Button>
      </div>
    </form>
  );
}

/** The fields that follow from the vendor until a person changes them. */
function useChosenVendor({ document }: DraftEditing, entered: TriedProvider | undefined) {
  const taken = [...document.providers.keys()];
  const first = knownVendors[0] as KnownVendor;
  const [vendor, setVendor] = useState(() => vendorOf(entered) ?? first);
  const [name, setName] = useState(entered?.name ?? freeName(first.name, taken));
  const [baseUrl, setBaseUrl] = useState(String(entered?.entry.base_url ?? vendor.baseUrl));
  return {
    ...{ vendor, name, setName, baseUrl, setBaseUrl },
    region: String(entered?.entry.region ?? ""),
    nameProblem: taken.includes(name) ? "The draft has a provider with this name." : undefined,
    choose(title: string) {
      const next = knownVendors.find((one) => one.title === title) ?? first;
      setVendor(next);
      setName(next.name && freeName(next.name, taken));
      setBaseUrl(next.baseUrl);
    },
  };
}

function vendorOf(entered: TriedProvider | undefined): KnownVendor | undefined {
  if (entered === undefined) return undefined;
  const { base_url = "" } = entered.entry;
  const ofKind = knownVendors.filter(({ kind }) => kind === entryKind(entered.entry));
  return ofKind.find(({ baseUrl }) => baseUrl === base_url) ?? ofKind.at(-1);
}

type ChosenVendor = ReturnType<typeof useChosenVendor>;

function AddressFields(chosen: ChosenVendor) {
  const { vendor, name, setName, nameProblem, baseUrl, setBaseUrl, region } = chosen;
  return (
    <>
      <Field
        label="Name"
        value={name}
        required
        pattern="[a-z0-9][a-z0-9_\-]{0,63}"
        title="Small letters, digits, dashes"
        spellCheck={false}
        problem={nameProblem}
        onChange={(event) => setName(event.target.value)}
      />
      {!vendor.isKindAddress && (
        <Field
          label="Address"
          type="url"
          value={baseUrl}
          required
          placeholder="https://api.example.com/v1"
          spellCheck={false}
          onChange={(event) => setBaseUrl(event.target.value)}
        />
      )}
      {vendor.hasRegion && (
        <Field
          label="Region"
          name="region"
          required
          defaultValue={region}
          placeholder="us-east-1"
          spellCheck={false}
        />
      )}
    </>
  );
}

function toEntry(vendor: KnownVendor, baseUrl: string, region: string): DraftEntry {
  const { isKindAddress } = vendor;
  const kind = namedKind(vendor.kind);
  return {
    ...(kind !== undefined && { kind }),
    ...(!isKindAddress && { base_url: baseUrl }),
    ...(region !== "" && { region }),
  };
}
