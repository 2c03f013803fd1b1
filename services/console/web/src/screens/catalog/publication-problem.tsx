import type { CatalogPublication } from "@tollgate/proto/tollgate/v1/catalog";

interface Props {
  result: CatalogPublication["result"] | undefined;
  /** The processes that are left out, by their names. */
  without: readonly string[];
  onWithout: (names: readonly string[]) => void;
}

/** Why a catalog was not published, and what can be done about it. Nothing where it was. */
export function PublicationProblem({ result, without, onWithout }: Props) {
  if (result?.case === "invalid") {
    return (
      <ul className="form-error" role="alert">
        {result.value.errors.map((error) => (
          <li key={error}>{error}</li>
        ))}
      </ul>
    );
  }
  if (result?.case === "busy") {
    return (
      <p className="form-error" role="alert">
        Another draft is being published. Nothing has changed. Try again in a moment.
      </p>
    );
  }
  if (result?.case === "outdated") {
    return (
      <p className="form-error" role="alert">
        Another revision was published in the meantime. Nothing has changed.
      </p>
    );
  }
  if (result?.case !== "unservable") return null;
  const { processes } = result.value;
  const names = processes.map(({ name }) => name);
  const isLeftOut = names.every((name) => without.includes(name));
  return (
    <div className="form-error" role="alert">
      <p>Nothing was published: these processes cannot serve it.</p>
      <ul>
        {processes.map(({ name, reason }) => (
          <li key={name}>
            <code>{name}</code>: {reason}
          </li>
        ))}
      </ul>
      <label className="check">
        <input
          type="checkbox"
          checked={isLeftOut}
          onChange={(event) => onWithout(event.target.checked ? names : [])}
        />
        Publish without them. They then serve nobody.
      </label>
    </div>
  );
}
