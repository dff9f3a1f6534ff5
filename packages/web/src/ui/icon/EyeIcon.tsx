import { Drawing } from './Icon.tsx'

const paths = {
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6',
  hidden:
    'M4 4l16 16M9.9 5.8A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a16 16 0 0 1-3.3 3.9M6 7.4A16 16 0 0 0 2.5 12S6 18.5 12 18.5a9 9 0 0 0 4.3-1.1',
} as const

/** Eye, or one struck through: for passwords, and for requests that have been seen. */
export function EyeIcon({ name }: { name: keyof typeof paths }) {
  return <Drawing name={name} path={paths[name]} />
}
