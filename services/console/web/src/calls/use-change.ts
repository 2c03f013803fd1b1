import { useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";

/**
 * Like connect-query's `useMutation`. What the page has read is read again after the change, since
 * one change shows on several screens.
 */
export const useChange: typeof useMutation = (method, options) => {
  const queries = useQueryClient();
  return useMutation(method, {
    ...options,
    onSuccess: async (...args) => {
      void queries.invalidateQueries();
      await options?.onSuccess?.(...args);
    },
  });
};
