const paths = {
  overview: "M3 12.5 8 8l3.5 3L17 5M3 16.5h14",
  accounts: "M3.5 5.5h13v9h-13zM3.5 9h13M12 12h2",
  ledger: "M4.5 3.5h11v13h-11zM7.500 7h5M7.500 10h5M7.500 13h3",
  payments: "M3 5.5h14v9H3zM3 8.5h14M5.5 12h3",
  keys: "M7 13.5a3.5 3.5 0 1 1 3.2-4.9H17v3h-2v2h-3v-1.6M7 10h.01",
  activity: "M4.5 16v-5M10 16V4M15.5 16V8",
  requests: "M4 5.5h12M4 10h12M4 14.5h7",
  models: "M10 3.5 16.5 7v6L10 16.5 3.5 13V7zM3.5 7 10 10.5 16.5 7M10 10.5v6",
  catalog: "M5 3.5h8l2.5 2.5v10.5H5zM7.5 8h5M7.5 11h5M7.5 14h3",
  playground: "M4 4.5h12v9H9.500l-3.500 3v-3H4zM7.500 7.500h5M7.500 10.500h3",
  start: "M3.500 4.500h13v11h-13zM6.500 8l2.500 2-2.500 2M10.500 12.500h3",
  stop: "M5.500 5.500h9v9h-9z",
  search: "M8.5 14a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM12.5 12.5 17 17",
  settings: "M4 6.5h6M14 6.5h2M12 4.5v4M4 13.5h2M10 13.5h6M8 11.5v4",
  copy: "M7.5 7.5h8v8h-8zM4.5 12.5v-8h8",
  check: "m4.5 10.5 4 4 7-8.5",
  close: "m5.5 5.5 9 9M14.5 5.5l-9 9",
  menu: "M3.5 6h13M3.5 10h13M3.5 14h13",
  plus: "M10 4.5v11M4.5 10h11",
  sun: "M10 3v1.5M10 15.5V17M3 10h1.5M15.5 10H17M5 5l1 1M14 14l1 1M15 5l-1 1M6 14l-1 1M10 7a3 3 0 1 1 0 6 3 3 0 0 1 0-6",
  moon: "M15.5 11.7A6 6 0 0 1 8.3 4.5a6 6 0 1 0 7.2 7.2z",
  system: "M3.5 4.5h13v8.5h-13zM7.5 16h5M10 13v3",
  alert: "M10 4 17 16H3zM10 8.5v3.5M10 14h.01",
  bell: "M5.5 13.5V9a4.5 4.5 0 0 1 9 0v4.5l1.5 1.5H4zM8.5 17h3",
  upload: "M10 12V4M6.5 7.5 10 4 13.5 7.5M4 16h12",
  download: "M10 4v8M6.5 9 10 12.5 13.5 9M4 16h12",
  down: "m5.5 8 4.5 4.5L14.5 8",
  right: "m8 5.5 4.5 4.5L8 14.5",
  left: "M12 5.5 7.5 10l4.5 4.5",
  more: "M5 9.500a.5.5 0 1 0 .01 0zM10 9.500a.5.5 0 1 0 .01 0zM15 9.500a.5.5 0 1 0 .01 0z",
  user: "M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 16.5c.6-2.6 3-4 6-4s5.400 1.400 6 4",
} as const;

export type IconName = keyof typeof paths;

/** A drawing beside a text that says the same. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
