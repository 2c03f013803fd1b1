import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `vite dev` finds a console that runs, for the calls that the page makes. */
const console = "http://127.0.0.1:8081";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    manifest: true,
    // The content security policy of the console forbids data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: Object.fromEntries(
      ["/tollgate.v1.", "/sign-in/oidc"].map((path) => [path, { target: console }]),
    ),
  },
});
