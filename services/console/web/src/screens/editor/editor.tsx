import { useQuery } from "@connectrpc/connect-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  CatalogSource,
  type GetCatalogRevisionResponse,
  type GetCatalogStatusResponse,
} from "@tollgate/proto/tollgate/v1/catalog";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useAccess } from "../../calls/use-session.ts";
import { editorTabs } from "../../search/editor-search.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Screen } from "../../ui/screen.tsx";
import { LinkGroup } from "../../ui/search-link.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { ModelsPanel } from "./models-panel.tsx";
import { OutdatedNotice } from "./outdated-notice.tsx";
import { PlansPanel } from "./plans-panel.tsx";
import { Problems } from "./problems.tsx";
import { ProvidersPanel } from "./providers-panel.tsx";
import { PublishDialog } from "./publish-dialog.tsx";
import { type DraftEditing, useDraft } from "./use-draft.ts";
import { YamlPanel } from "./yaml-panel.tsx";
import "./editor.css";

const route = getRouteApi("/app/catalog/edit");
/** A revision of another operator is seen soon. */
const refetchMs = 5_000;

/** Changes a draft of the catalog, by forms and as YAML, and publishes it. */
export function EditorScreen() {
  const { canChange } = useAccess();
  const newest = useQuery(
    OperatorService.method.getCatalogRevision,
    { revision: 0n },
    { refetchInterval: refetchMs, enabled: canChange },
  );
  const status = useQuery(OperatorService.method.getCatalogStatus, {}, { enabled: canChange });
  if (!canChange) {
    return (
      <Screen title="Edit the catalog" parent={<Link to="/catalog">Catalog</Link>}>
        <Empty icon="catalog" title="Operators edit the catalog">
          Your role shows it.
        </Empty>
      </Screen>
    );
  }
  return (
    <Loaded query={status}>
      {(processes) => (
        <Loaded query={newest}>{(data) => <Editor newest={data} status={processes} />}</Loaded>
      )}
    </Loaded>
  );
}

interface Props {
  newest: GetCatalogRevisionResponse;
  status: GetCatalogStatusResponse;
}

function Editor({ newest, status }: Props) {
  const { tab = "providers", line } = route.useSearch();
  const draft = useDraft(newest);
  const Panel = panels[tab];
  return (
    <Screen
      title="Edit the catalog"
      parent={<Link to="/catalog">Catalog</Link>}
      heading={
        <>
          Edit the catalog <DraftState draft={draft} />
        </>
      }
      actions={<Actions draft={draft} status={status} />}
    >
      {status.source === CatalogSource.FILE && (
        <p className="notice">
          <Icon name="alert" />
          <span>
            The catalog is the file <code>{status.file}</code>. A draft can be checked and tested
            here, and is put into the file by hand.
          </span>
        </p>
      )}
      {draft.isOutdated && <OutdatedNotice draft={draft} />}
      <Problems draft={draft} />
      <div className={`editor shows-${tab}`}>
        <div className="editor-tabs">
          <LinkGroup
            label="Parts of the catalog"
            name="tab"
            options={editorTabs}
            current={tab}
            look="tabs"
          />
        </div>
        <div className="editor-forms">
          <Panel draft={draft} />
        </div>
        <YamlPanel draft={draft} line={line === undefined ? undefined : Number(line)} />
      </div>
    </Screen>
  );
}

/** Beside the YAML, which has no forms of its own, are those of the providers. */
const panels = {
  providers: ProvidersPanel,
  models: ModelsPanel,
  plans: PlansPanel,
  yaml: ProvidersPanel,
} as const;

function DraftState({ draft: { isChanged, baseRevision } }: { draft: DraftEditing }) {
  const base = baseRevision === "0" ? "a new catalog" : `revision ${baseRevision}`;
  if (!isChanged) return <Badge>{base}</Badge>;
  return <Badge tone="accent">{`draft on ${base}`}</Badge>;
}

function Actions({ draft, status }: { draft: DraftEditing; status: GetCatalogStatusResponse }) {
  const { canManage } = useAccess();
  const publishing = useOpen();
  const isFile = status.source === CatalogSource.FILE;
  return (
    <>
      {draft.isChanged && (
        <Button look="quiet" onClick={draft.discard}>
          Discard the draft
        </Button>
      )}
      {!isFile && (
        <Button
          look="primary"
          onClick={publishing.open}
          disabled={!draft.isChanged || !draft.isValid}
        >
          {canManage ? "Review and publish" : "Review"}
        </Button>
      )}
      <PublishDialog
        key={publishing.key}
        draft={draft}
        isOpen={publishing.isOpen}
        onClose={publishing.close}
      />
    </>
  );
}
