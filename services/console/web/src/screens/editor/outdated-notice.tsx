import { useQuery } from "@connectrpc/connect-query";
import { OperatorService } from "@tollgate/proto/tollgate/v1/operator";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Loaded } from "../../ui/states.tsx";
import { DiffLines } from "../catalog/diff-lines.tsx";
import { shownParts } from "../catalog/diff-parts.ts";
import { mergeTexts } from "./draft/merge.ts";
import type { DraftEditing } from "./use-draft.ts";

/** Shows what others have published since the draft was begun, and lets its author choose. */
export function OutdatedNotice({ draft }: { draft: DraftEditing }) {
  const { baseRevision, baseText, newest, text } = draft;
  const merged = mergeTexts({ base: baseText, own: text, newest: newest.baseText });
  const clashes = merged.clashes.join(", ");
  return (
    <section className="outdated" aria-label="The draft is outdated">
      <p className="notice">
        <Icon name="alert" />
        <span>
          <strong>Revision {newest.baseRevision} was published</strong> since this draft was begun
          on {baseRevision === "0" ? "a new catalog" : `revision ${baseRevision}`}. A draft is
          published on the newest revision only.
        </span>
      </p>
      <Changes draft={draft} />
      {clashes !== "" && (
        <p className="quiet">
          Both have changed {clashes}. Your changes cannot be applied to the newest revision.
        </p>
      )}
      <div className="outdated-choices">
        {clashes === "" && (
          <Button look="primary" onClick={() => draft.rebase(merged.text)}>
            Keep both changes
          </Button>
        )}
        <Button onClick={() => draft.rebase(text)}>Keep mine, and undo theirs</Button>
        <Button onClick={draft.discard}>Take theirs, and discard mine</Button>
      </div>
    </section>
  );
}

function Changes({ draft: { baseRevision, newest } }: { draft: DraftEditing }) {
  const [from, to] = [BigInt(baseRevision), BigInt(newest.baseRevision)];
  const diff = useQuery(
    OperatorService.method.getCatalogDiff,
    { fromRevision: from, to: { case: "toRevision", value: to } },
    { enabled: from > 0n && to > 0n },
  );
  const revisions = useQuery(OperatorService.method.listCatalogRevisions, { limit: 20 });
  const missed = (revisions.data?.revisions ?? []).filter(({ revision }) => revision > from);
  return (
    <>
      <ul className="outdated-revisions">
        {missed.map(({ revision, authorName, authorId, reason }) => (
          <li key={String(revision)}>
            <strong>Revision {String(revision)}</strong>{" "}
            <span className="quiet">by {authorName || authorId || "the command"}</span>
            {reason && `: ${reason}`}
          </li>
        ))}
      </ul>
      {from > 0n && (
        <Loaded query={diff} rows={4}>
          {({ lines }) => <DiffLines parts={shownParts(lines)} />}
        </Loaded>
      )}
    </>
  );
}
