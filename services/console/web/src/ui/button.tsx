import type { ComponentProps } from "react";
import { Icon, type IconName } from "./icons.tsx";

interface Props extends ComponentProps<"button"> {
  look?: "primary" | "plain" | "danger" | "quiet";
  icon?: IconName;
}

/** A button. One that is busy is disabled by `disabled` and keeps its size. */
export function Button({ look = "plain", icon, children, type = "button", ...rest }: Props) {
  return (
    <button {...rest} type={type} className={`button ${look}`}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
