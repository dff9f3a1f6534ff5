import { Drawing } from './Icon.tsx'

const paths = {
  share: 'M12 15V4M8 8l4-4 4 4M5 12v8h14v-8',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1',
  mail: 'M3.5 6h17v12h-17zM3.5 7l8.5 6.5L20.5 7',
  chat: 'M4 5h16v11h-9l-4 3.5V16H4z',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  key: 'M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 12h9v3M17.5 12v2.5',
  flag: 'M6 21V4h12l-2.5 4L18 12H6',
  star: 'm12 3.8 2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8z',
  google: 'M20 12.2H12.2M20 12.2A8 8 0 1 1 17.4 6.2',
  filter: 'M4 6h16M7 12h10M10 18h4',
  flip: 'M8 4.5v15M8 19.5l-3.5-3.5M8 19.5l3.5-3.5M16 19.5v-15M16 4.5 12.5 8M16 4.5 19.5 8',
  download: 'M12 4v11M7.5 10.5 12 15l4.5-4.5M4 20h16',
  shield: 'M12 3.5 5 6v5.5c0 4.3 2.9 7.3 7 9 4.1-1.7 7-4.7 7-9V6zM9 12l2.2 2.2L15.2 10',
  globe: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M4 12h16M12 4c-4.6 5-4.6 11 0 16M12 4c4.6 5 4.6 11 0 16',
  receipt: 'M6 3.5h12v17l-3-2-3 2-3-2-3 2zM9 8.5h6M9 12.5h6',
  repeat: 'M5 12a7 7 0 0 1 12-5l2 2M19 5v4h-4M19 12a7 7 0 0 1-12 5l-2-2M5 19v-4h4',
  question: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M9.8 10a2.2 2.2 0 1 1 3.3 2c-.8.4-1.1.8-1.1 1.5M12 16.2v.01',
} as const

/** Icon shown on few pages, in a separate module from those that every page loads. */
export function ExtraIcon({ name }: { name: keyof typeof paths }) {
  return <Drawing name={name} path={paths[name]} />
}
