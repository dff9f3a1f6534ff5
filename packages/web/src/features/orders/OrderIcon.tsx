import { Drawing } from '../../ui/icon/Icon.tsx'

const paths = {
  bell: 'M5.5 17h13M7.5 17v-6a4.5 4.5 0 0 1 9 0v6M10.5 20h3',
  octagon: 'M8 4h8l4 4v8l-4 4H8l-4-4V8z',
  grip: 'm8 9.5 4-4 4 4M8 14.5l4 4 4-4',
} as const

/** Icons used only by orders: alert, stop, and drag handle. */
export function OrderIcon({ name }: { name: keyof typeof paths }) {
  return <Drawing name={name} path={paths[name]} />
}
