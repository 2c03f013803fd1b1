/** A browser without scripts: it keeps cookies for each origin, and follows redirects one by one. */
export interface Browsing {
  /** The cookies of an origin, as a header. */
  cookies(origin: string): string;
  /** Requests a page and follows its redirects, until one leads to an address that `stopsAt`. */
  open(
    url: string,
    options?: { form?: Record<string, string>; stopsAt?: RegExp },
  ): Promise<BrowsedPage>;
}

export interface BrowsedPage {
  url: string;
  status: number;
  text: string;
}

const maxRedirects = 20;

export function startBrowsing(): Browsing {
  const jar = new Map<string, Map<string, string>>();

  function store(origin: string, lines: readonly string[]): void {
    const cookies = jar.get(origin) ?? new Map<string, string>();
    jar.set(origin, cookies);
    for (const line of lines) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
  }

  function cookies(origin: string): string {
    return [...(jar.get(origin) ?? [])].map((pair) => pair.join("=")).join("; ");
  }

  return {
    cookies,
    async open(first, { form, stopsAt } = {}) {
      let url = first;
      let body = form === undefined ? undefined : new URLSearchParams(form);
      for (let count = 0; count < maxRedirects; count += 1) {
        const { origin } = new URL(url);
        const response = await fetch(url, {
          method: body === undefined ? "GET" : "POST",
          headers: { cookie: cookies(origin), ...(body && { origin }) },
          redirect: "manual",
          ...(body && { body }),
        });
        store(origin, response.headers.getSetCookie());
        const text = await response.text();
        const location = response.headers.get("location");
        if (location === null) return { url, status: response.status, text };
        url = new URL(location, url).href;
        body = undefined;
        if (stopsAt?.test(url)) return { url, status: response.status, text };
      }
      throw new Error(`more than ${maxRedirects} redirects from ${first}`);
    },
  };
}
