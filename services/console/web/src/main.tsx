import { TransportProvider } from "@connectrpc/connect-query";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./calls/query-client.ts";
import { originTransport } from "./calls/transport.ts";
import { createAppRouter } from "./router.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/controls.css";
import "./styles/table.css";
import "./styles/overlay.css";

const router = createAppRouter();
/** The screens that need no session. */
const entrances = ["/sign-in", "/sign-up", "/reset", "/invitation"];

/** Reads the session again: the frame of the screens leads to the sign-in if there is none. */
const queries = createQueryClient(() => {
  if (entrances.includes(router.state.location.pathname)) return;
  void router.navigate({ to: "/sign-in", search: { next: router.state.location.href } });
});

/** The backend in memory is no part of the built page: the condition is constant in each build. */
const transport =
  import.meta.env.MODE === "fixture"
    ? (await import("./fixture/transport.ts")).fixtureTransport()
    : originTransport();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element with the id root");
createRoot(root).render(
  <StrictMode>
    <TransportProvider transport={transport}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </TransportProvider>
  </StrictMode>,
);
