import { useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { MemberRole } from "@tollgate/proto/tollgate/v1/member";
import type { Operator } from "@tollgate/proto/tollgate/v1/operator";
import { DropdownMenu } from "radix-ui";
import { lazy, Suspense, useState } from "react";
import { exportOwnData } from "../calls/export-own-data.ts";
import { useSession } from "../calls/use-session.ts";
import { useSignOut } from "../calls/use-sign-out.ts";
import { memberRoleNames } from "../format/member-roles.ts";
import { roleNames } from "../format/roles.ts";
import { saveFile } from "../format/save-file.ts";
import { Icon } from "../ui/icons.tsx";
import { type Theme, themes, useTheme } from "./theme.ts";

/** Loaded when they are opened: they are no part of the first load. */
const PasswordDialog = lazy(async () => ({
  default: (await import("./password-dialog.tsx")).PasswordDialog,
}));

const SecondFactorDialog = lazy(async () => ({
  default: (await import("../second-factor/second-factor-dialog.tsx")).SecondFactorDialog,
}));

/** Who is signed in, the theme, the password and the second factor, and the way out. */
export function UserMenu({ operator }: { operator: Operator }) {
  const { memberRole = MemberRole.UNSPECIFIED, offersSecondFactor } = useSession().data ?? {};
  const isMember = memberRole !== MemberRole.UNSPECIFIED;
  const signOut = useSignOut();
  const transport = useTransport();
  const download = useMutation({
    mutationFn: async () =>
      saveFile("tollgate-data.json", "application/json", await exportOwnData(transport)),
  });
  const [dialog, setDialog] = useState<"password" | "second factor">();
  const close = () => setDialog(undefined);
  const isLocal = operator.issuer === "";
  const hasFactorItem = isLocal && (offersSecondFactor || operator.hasSecondFactor);
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="user" aria-label={`Signed in as ${operator.name}. Menu`}>
          <Icon name="user" />
          <span className="user-name">{operator.name}</span>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="popup" align="end" sideOffset={6} collisionPadding={8}>
            <div className="popup-note">
              {operator.name}
              <span className="quiet">
                {isMember ? memberRoleNames[memberRole] : roleNames[operator.role]}
              </span>
            </div>
            <DropdownMenu.Separator className="popup-line" />
            <ThemeItems />
            <DropdownMenu.Separator className="popup-line" />
            {isLocal && (
              <DropdownMenu.Item className="popup-item" onSelect={() => setDialog("password")}>
                {operator.hasPassword ? "Change password" : "Set a password"}
              </DropdownMenu.Item>
            )}
            {hasFactorItem && (
              <DropdownMenu.Item className="popup-item" onSelect={() => setDialog("second factor")}>
                {operator.hasSecondFactor ? "Turn off second factor" : "Set up second factor"}
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Item className="popup-item" onSelect={() => download.mutate()}>
              Download my data
            </DropdownMenu.Item>
            <DropdownMenu.Item className="popup-item" onSelect={() => signOut.mutate({})}>
              Sign out
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Suspense>
        {dialog === "password" && <PasswordDialog operator={operator} isOpen onClose={close} />}
        {dialog === "second factor" && <SecondFactorDialog operator={operator} onClose={close} />}
      </Suspense>
    </>
  );
}

function ThemeItems() {
  const [theme, choose] = useTheme();
  return (
    <DropdownMenu.RadioGroup
      value={theme}
      onValueChange={(value) => choose(value as Theme)}
      aria-label="Theme"
    >
      {Object.entries(themes).map(([value, name]) => (
        <DropdownMenu.RadioItem key={value} value={value} className="popup-item">
          <Icon name={iconOf[value as Theme]} />
          {name}
          <DropdownMenu.ItemIndicator className="popup-check">
            <Icon name="check" size={14} />
          </DropdownMenu.ItemIndicator>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

const iconOf = { system: "system", light: "sun", dark: "moon" } as const;
