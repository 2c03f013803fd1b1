import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type ActivitySearch, readActivitySearch } from "../../search/activity-search.ts";
import { parseSearch, stringifySearch } from "../../search/read.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CallForm, Field } from "../../ui/form.tsx";
import { useOpen } from "../../ui/use-open.ts";
import { readViews, type SavedView, storeViews } from "./stored-views.ts";

const longestName = 60;

/** Opens, saves and removes views of Activity. They are stored in the browser. */
export function SavedViews({ search }: { search: ActivitySearch }) {
  const [views, setViews] = useState(readViews);
  const saving = useOpen();
  const navigate = useNavigate();
  const query = stringifySearch({ ...search });
  const current = views.find((view) => view.query === query);
  const change = (changed: readonly SavedView[]) => {
    storeViews(changed);
    setViews(changed);
  };
  return (
    <>
      {views.length > 0 && (
        <select
          aria-label="Saved views"
          value={current?.name ?? ""}
          onChange={({ target }) => {
            const view = views.find(({ name }) => name === target.value);
            const chosen = readActivitySearch(parseSearch(view?.query ?? ""));
            void navigate({ to: "/activity", search: chosen });
          }}
        >
          <option value="">Views</option>
          {views.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      {current === undefined ? (
        <Button onClick={saving.open}>Save view</Button>
      ) : (
        <Button onClick={() => change(views.filter((view) => view !== current))}>
          Remove view
        </Button>
      )}
      <Dialog
        key={saving.key}
        title="Save view"
        description="A view is stored in this browser: its period, filters, chart and table."
        isOpen={saving.isOpen}
        onClose={saving.close}
      >
        <CallForm
          submit="Save view"
          isBusy={false}
          error={undefined}
          onCancel={saving.close}
          onSubmit={(values) => {
            const name = values("name");
            const others = views.filter((view) => view.name !== name && view.query !== query);
            change([...others, { name, query }]);
            saving.close();
          }}
        >
          <Field label="Name" name="name" required maxLength={longestName} />
        </CallForm>
      </Dialog>
    </>
  );
}
