import type { ProviderModel } from "@tollgate/proto/tollgate/v1/slot_test";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Choice, Field, type FieldReader } from "../../ui/form.tsx";
import type { DraftEntry } from "./draft/document.ts";
import { typedIdentity } from "./draft/identity-entry.ts";
import { entryKind, freeName, type KnownVendor, knownVendors, namedKind } from "./draft/vendors.ts";
import { IdentityFields } from "./identity-fields.tsx";
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
    const read = (field: string) => String(values.get(field) ?? "").trim();
    const next = { name, entry: toEntry(vendor, baseUrl.trim(), read), apiKey: read("key") };
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
      <CredentialFields key={vendor.title} {...{ vendor, entered }} />
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
          {listing.isPending ? "The provider is called…" : testLabel(vendor)}
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
    project: String(entered?.entry.project ?? ""),
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
  const { vendor, name, setName, nameProblem, baseUrl, setBaseUrl, region, project } = chosen;
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
      {vendor.region !== undefined && (
        <Field
          label="Region"
          name="region"
          required
          defaultValue={region}
          placeholder={vendor.region}
          spellCheck={false}
        />
      )}
      {vendor.hasProject && (
        <Field label="Project" name="project" required defaultValue={project} spellCheck={false} />
      )}
    </>
  );
}

interface CredentialProps {
  vendor: KnownVendor;
  entered: TriedProvider | undefined;
}

/** The key of a provider, or the identity of its cloud in place of a key. */
function CredentialFields({ vendor, entered }: CredentialProps) {
  const own = entered !== undefined && entryKind(entered.entry) === vendor.kind;
  const [source, setSource] = useState(own && entered.apiKey !== "" ? "key" : "identity");
  const isKey = vendor.identity === undefined || source === "key";
  return (
    <>
      {vendor.identity !== undefined && (
        <Choice
          label="Credentials"
          name="credentials"
          options={[
            ["identity", "The identity of the cloud"],
            ["key", "An API key"],
          ]}
          value={source}
          onChange={(event) => setSource(event.target.value)}
        />
      )}
      {isKey ? (
        <Field
          label="API key"
          name="key"
          type="password"
          defaultValue={entered?.apiKey}
          autoComplete="new-password"
          spellCheck={false}
          className="mono"
        />
      ) : (
        <IdentityFields kind={vendor.kind} entry={own ? entered.entry : {}} />
      )}
    </>
  );
}

function testLabel({ identity }: KnownVendor): string {
  return identity === undefined ? "Test the key" : "Test the provider";
}

function toEntry(vendor: KnownVendor, baseUrl: string, read: FieldReader): DraftEntry {
  const { isKindAddress } = vendor;
  const kind = namedKind(vendor.kind);
  const [region, project] = [read("region"), read("project")];
  return {
    ...(kind !== undefined && { kind }),
    ...(!isKindAddress && { base_url: baseUrl }),
    ...(region !== "" && { region }),
    ...(project !== "" && { project }),
    ...(read("credentials") === "identity" && { identity: typedIdentity(read, vendor.kind, {}) }),
  };
}
