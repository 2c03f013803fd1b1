import { Code, ConnectError } from "@connectrpc/connect";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";

const staleMs = 15_000;

/** Returns the cache of what the page has read. `onSignedOut` runs when a call finds no session. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (ConnectError.from(error).code === Code.Unauthenticated) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: staleMs, retry: isWorthRetry, refetchOnWindowFocus: true },
    },
  });
}

/** Returns the message of an error for people. */
export function errorMessageOf(error: unknown): string {
  const { cause, rawMessage } = ConnectError.from(error);
  // A fetch that fails is a TypeError. A proxy sends no message, of which the client library makes one.
  if (cause instanceof TypeError || /^HTTP \d{3}$/.test(rawMessage)) {
    return "The console cannot be reached. Check that it is running, and try again.";
  }
  return rawMessage === "" ? "The call failed without a message." : rawMessage;
}

function isWorthRetry(failures: number, error: unknown): boolean {
  const { code } = ConnectError.from(error);
  return failures < 2 && (code === Code.Unavailable || code === Code.DeadlineExceeded);
}
