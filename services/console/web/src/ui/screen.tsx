import type { ReactNode } from "react";

interface Props {
  title: string;
  /** Shown in place of the title, for instance an id with a copy button. */
  heading?: ReactNode;
  /** Where the page belongs. */
  parent?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A screen: its title, what can be done there, and its content. */
export function Screen({ title, heading, parent, actions, children }: Props) {
  return (
    <div className="page">
      <title>{`${title} – Tollgate`}</title>
      <header className="page-head">
        <div className="page-title">
          {parent && <div className="parent">{parent}</div>}
          <h1>{heading ?? title}</h1>
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a screen with a heading. */
export function Section(props: {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="section">
      <div className="section-head">
        <h2>{props.title}</h2>
        {props.note && <span className="quiet">{props.note}</span>}
        {props.actions && <div className="actions">{props.actions}</div>}
      </div>
      {props.children}
    </section>
  );
}
