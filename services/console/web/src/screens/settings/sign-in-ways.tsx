import { useSession } from "../../calls/use-session.ts";
import { Facts } from "../../ui/facts.tsx";
import { Section } from "../../ui/screen.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";

/** How one signs in to this console, and its version. */
export function SignInWays() {
  const session = useSession();
  return (
    <Section title="Sign-in">
      <Loaded query={session} rows={4}>
        {({ oidcName, expiresAt, version }) => (
          <>
            <Facts
              facts={[
                ["OpenID Connect", oidcName || "not set up"],
                ["Password", "for operators who have set one"],
                ["Your session ends", <Time key="end" at={expiresAt} />],
                ["Version", version],
              ]}
            />
            <p className="quiet">
              OpenID Connect, and how its claims map to roles, is set in the environment of the
              console.
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}
