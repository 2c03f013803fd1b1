import type { RefusedKey } from "@tollgate/proto/tollgate/v1/slot";
import { Icon } from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";

/** The keys that providers refuse, and what they say. Nothing is shown where there are none. */
export function RefusedKeyNotices({ keys }: { keys: readonly RefusedKey[] }) {
  return keys.map(({ provider, key, said, status, since }) => (
    <p key={`${provider} ${key}`} className="notice" role="alert">
      <Icon name="alert" size={16} />
      <span>
        <strong>{provider}</strong> has refused its key{key !== "" && ` ${key}`} or asked to be paid
        since <Time at={since} />
        {status > 0 && `, with ${status}`}. No slot is called with it. The key is tried once a
        minute.
        {said !== "" && ` The provider says: “${said}”`}
      </span>
    </p>
  ));
}
