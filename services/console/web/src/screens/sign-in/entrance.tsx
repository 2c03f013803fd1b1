import type { ReactNode } from "react";
import { Logo } from "../../shell/logo.tsx";
import "./sign-in.css";

/** The frame of a screen that needs no session. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="sign-in">
      <title>{`${title} – Tollgate`}</title>
      <div className="sign-in-box">
        <Logo size={34} />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
