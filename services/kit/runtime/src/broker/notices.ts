import type { Broker } from "./connection.ts";

/**
 * Short messages to every subscribed replica, each delivered once, several times or never. They
 * invalidate caches; a message that must not be lost needs another way.
 */
export interface Notices {
  publish(subject: NoticeSubject, text: string): void;
  subscribe(subject: NoticeSubject, listener: (text: string) => void): void;
  /** Calls the listener when a connection is restored, and notices may have been lost before. */
  onMissed(listener: () => void): void;
}

const subjects = ["key.changed", "account.changed", "secret.changed", "catalog.changed"] as const;

/**
 * `key.changed` carries the key's SHA-256 in hex, `account.changed` the account's id,
 * `secret.changed` the name of a provider's stored key, and `catalog.changed` a revision or the id of a
 * candidate.
 */
export type NoticeSubject = (typeof subjects)[number];

export function isNoticeSubject(text: string): text is NoticeSubject {
  return (subjects as readonly string[]).includes(text);
}

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
    // A replica drops what it caches within seconds in any case.
    onMissed() {},
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
    onMissed() {},
  };
}

/** Sends notices in all of the given ways, so that one which fails loses none. */
export function joinNotices(ways: readonly Notices[]): Notices {
  return {
    publish(subject, text) {
      for (const way of ways) way.publish(subject, text);
    },
    subscribe(subject, listener) {
      for (const way of ways) way.subscribe(subject, listener);
    },
    onMissed(listener) {
      for (const way of ways) way.onMissed(listener);
    },
  };
}
