import { Link } from "@tanstack/react-router";
import { useAccess } from "../calls/use-session.ts";

interface Props {
  id: string;
  /** By ids. */
  names: Readonly<Record<string, string>>;
}

/** The name of an account with a link to it. The pointer over it shows its id, as does a missing name. */
export function AccountLink({ id, names }: Props) {
  return (
    <Link to="/accounts/$accountId" params={{ accountId: id }} className="cut" title={id}>
      {names[id] || id}
    </Link>
  );
}

/**
 * The name of a key, with a link to it for who sees keys. The pointer over it shows its id, as does a missing
 * name.
 */
export function KeyLink({ id, names }: Props) {
  const { canSeeKeys } = useAccess();
  const shown = { className: "cut", title: id, children: names[id] || id };
  if (!canSeeKeys) return <span {...shown} />;
  return <Link to="/keys/$keyId" params={{ keyId: id }} {...shown} />;
}
