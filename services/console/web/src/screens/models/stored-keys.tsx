import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import type { ProviderSecret } from "@tollgate/proto/tollgate/v1/secret";
import { useAccess } from "../../calls/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { type DataColumn, DataTable } from "../../ui/data-table.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Section } from "../../ui/screen.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { RemoveKey } from "./remove-key.tsx";
import { StoreKey } from "./store-key.tsx";

/** The keys of providers that operators have stored, without their values. */
export function StoredKeys() {
  const { canChange } = useAccess();
  const creation = useOpen();
  const read = useQuery(OperatorService.method.listSecrets, {});
  return (
    <Section
      title="Stored keys"
      note="of providers, encrypted"
      actions={
        canChange && (
          <Button icon="plus" onClick={creation.open}>
            Store a key
          </Button>
        )
      }
    >
      <Loaded query={read} rows={3}>
        {({ secrets, missing }) => (
          <>
            {missing.map((name) => (
              <p key={name} className="notice">
                <Icon name="alert" />
                The catalog names {name}, which has no value: its provider is not called.
              </p>
            ))}
            {secrets.length === 0 ? (
              <Empty icon="keys" title="No stored keys">
                A provider of the catalog names one in <code>secret</code>. Others have their key in
                an environment variable.
              </Empty>
            ) : (
              <DataTable
                caption="Stored keys"
                columns={canChange ? [...columns, actions] : columns}
                rows={secrets}
                idOf={({ name }) => name}
              />
            )}
          </>
        )}
      </Loaded>
      <StoreKey key={creation.key} isOpen={creation.isOpen} onClose={creation.close} />
    </Section>
  );
}

const columns: readonly DataColumn<ProviderSecret>[] = [
  { header: "Name", cell: ({ name }) => <strong className="cut">{name}</strong> },
  { header: "Value", cell: ({ hint }) => <code>{hint}</code> },
  {
    header: "Providers",
    cell: ({ providers }) =>
      providers.length === 0 ? <span className="quiet">none</span> : providers.join(", "),
  },
  {
    header: "Last used",
    cell: ({ lastUsedAt }) => <Time at={lastUsedAt} as="relative" none="never" />,
  },
  {
    header: "Set by",
    isSecondary: true,
    cell: ({ setBy, setByKind }) => (
      <span className="cut">{setBy === "" ? "the command" : `${setBy}${kindOf(setByKind)}`}</span>
    ),
  },
  { header: "Set", isSecondary: true, cell: ({ setAt }) => <Time at={setAt} as="day" /> },
];

const actions: DataColumn<ProviderSecret> = {
  header: "Actions",
  align: "right",
  cell: (secret) => <KeyActions secret={secret} />,
};

function KeyActions({ secret: { name, providers } }: { secret: ProviderSecret }) {
  const replacement = useOpen();
  return (
    <>
      <Button look="quiet" onClick={replacement.open} aria-label={`Replace ${name}`}>
        Replace
      </Button>
      {providers.length === 0 && <RemoveKey name={name} />}
      <StoreKey
        key={replacement.key}
        name={name}
        isOpen={replacement.isOpen}
        onClose={replacement.close}
      />
    </>
  );
}

function kindOf(setByKind: string): string {
  return setByKind === "token" ? " (token)" : "";
}
