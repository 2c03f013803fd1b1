import type { Broker } from "./connection.ts";

/**
 * Short messages to every subscribed replica, delivered at most once. They invalidate caches; a
 * message that must not be lost needs another way.
 */
export interface Notices {
  publish(subject: NoticeSubject, text: string): void;
  subscribe(subject: NoticeSubject, listener: (text: string) => void): void;
}

/** `key.changed` carries the SHA-256 of a key's text in hex, `account.changed` the account's id. */
export type NoticeSubject = "key.changed" | "account.changed";

/** Sends notices through the broker. Those published while it is unavailable are lost. */
export function brokerNotices(broker: Broker): Notices {
  return {
    publish: (subject, text) => broker.connection()?.publish(`tollgate.${subject}`, text),
    subscribe(subject, listener) {
      broker.whenConnected((connection) => {
        connection.subscribe(`tollgate.${subject}`, {
          callback: (error, message) => {
            if (error === null) listener(message.string());
          },
        });
      });
    },
  };
}

/** Sends notices inside one process. */
export function localNotices(): Notices {
  const listeners = new Map<NoticeSubject, ((text: string) => void)[]>();
  return {
    publish(subject, text) {
      for (const listener of listeners.get(subject) ?? []) listener(text);
    },
    subscribe(subject, listener) {
      listeners.set(subject, [...(listeners.get(subject) ?? []), listener]);
    },
  };
}
