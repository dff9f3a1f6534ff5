import { Drawing } from './Icon.tsx'

const paths = {
  share: 'M12 15V4M8 8l4-4 4 4M5 12v8h14v-8',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1',
  mail: 'M3.5 6h17v12h-17zM3.5 7l8.5 6.5L20.5 7',
  chat: 'M4 5h16v11h-9l-4 3.5V16H4z',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
} as const

/** An icon of menus. They stand apart from the rest, which every page loads. */
export function MenuIcon({ name }: { name: keyof typeof paths }) {
  return <Drawing name={name} path={paths[name]} />
}
