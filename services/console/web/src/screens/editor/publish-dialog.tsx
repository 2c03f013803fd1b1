import { useQuery } from "@connectrpc/connect-query";
import { useNavigate } from "@tanstack/react-router";
import type { CatalogPublication } from "@tollgate/proto/tollgate/v1/catalog";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { useState } from "react";
import { useChange } from "../../calls/use-change.ts";
import { useAccess } from "../../calls/use-session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Loaded } from "../../ui/states.tsx";
import { DiffLines } from "../catalog/diff-lines.tsx";
import { shownParts } from "../catalog/diff-parts.ts";
import { PublicationProblem } from "../catalog/publication-problem.tsx";
import { OutdatedNotice } from "./outdated-notice.tsx";
import type { DraftEditing } from "./use-draft.ts";

interface Props {
  draft: DraftEditing;
  isOpen: boolean;
  onClose: () => void;
}

/** Shows what the draft changes, and publishes it. */
export function PublishDialog({ draft, isOpen, onClose }: Props) {
  return (
    <Dialog
      title={draft.isOutdated ? "Another revision was published" : "Publish the draft"}
      {...(!draft.isOutdated && {
        description: "Every process of the gateway takes it, or none.",
      })}
      isOpen={isOpen}
      isWide
      onClose={onClose}
    >
      {draft.isOutdated ? (
        <OutdatedNotice draft={draft} />
      ) : (
        <Review draft={draft} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Review({ draft, onClose }: Omit<Props, "isOpen">) {
  const { canManage } = useAccess();
  const navigate = useNavigate();
  const [without, setWithout] = useState<readonly string[]>([]);
  const { text, baseRevision, warnings, isChanged, isValid } = draft;
  const diff = useQuery(
    OperatorService.method.getCatalogDiff,
    { fromRevision: BigInt(baseRevision), to: { case: "toText", value: text } },
    { gcTime: 0 },
  );
  const publish = useChange(OperatorService.method.publishCatalog, {
    onSuccess: async ({ publication }) => {
      if (publication?.result.case !== "published") return;
      const revision = String(publication.result.value.revision?.revision ?? 0n);
      await navigate({ to: "/catalog", search: { revision } });
      draft.discard();
    },
  });
  const result: CatalogPublication["result"] | undefined = publish.data?.publication?.result;
  const send = (reason: string) =>
    publish.mutate({
      ...{ text, reason, baseRevision: BigInt(baseRevision) },
      without: [...without],
    });
  return (
    <CallForm
      submit={publish.isPending ? "Publishing…" : "Publish"}
      isBusy={publish.isPending || !canManage || !isChanged || !isValid}
      error={publish.error}
      onSubmit={(values) => send(values("reason"))}
      onCancel={onClose}
    >
      <Loaded query={diff} rows={5}>
        {({ lines }) => <DiffLines parts={shownParts(lines)} />}
      </Loaded>
      {warnings.length > 0 && (
        <div className="notice">
          <Icon name="alert" />
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </div>
      )}
      <PublicationProblem result={result} without={without} onWithout={setWithout} />
      {canManage ? (
        <Field
          label="Reason"
          name="reason"
          maxLength={500}
          autoComplete="off"
          placeholder="What changes, and why"
        />
      ) : (
        <p className="notice">
          <Icon name="alert" />
          Owners publish the catalog. Download the YAML of the draft, and send it to one.
        </p>
      )}
    </CallForm>
  );
}
