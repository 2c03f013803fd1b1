/** Leaves the console for a page of Stripe, which returns to it. */
export function openStripePage({ url }: { url: string }): void {
  window.location.assign(url);
}
