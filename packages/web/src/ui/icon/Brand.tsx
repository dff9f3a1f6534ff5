import { shell } from '#messages/shell.ts'

const body =
  'M.6 25.4A32 32 0 0 1 31.4 12.6A26 26 0 0 0 17.4 19.6C13.6 23.4 9.4 25.6 3.2 29.2Q4 27 6 24.8Q3.4 25.4 .6 25.4Z'
const wing = 'M6 .8A27 27 0 0 1 24 11.9A26 26 0 0 0 16.4 14.6A29 29 0 0 0 6 .8Z'
const beak = 'M31.4 12.6A30 30 0 0 0 27.2 12.2L26.9 14A27 27 0 0 1 31.4 12.6Z'

/** The bird without its beak, on a grid of 32. */
export const birdPaths = [body, wing]

/** The bird without its beak, as paths on a grid of 32, for maps and illustrations. */
export function Bird({ className }: { className?: string | undefined }) {
  return (
    <g className={className}>
      <path d={body} />
      <path d={wing} />
    </g>
  )
}

/** Logo without the name: the bird with its beak. */
export function Mark() {
  return (
    <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <Bird />
      <path className="brand-beak" d={beak} />
    </svg>
  )
}

/** Logo and name, linking to `href`. */
export function Brand({ href }: { href: string }) {
  return (
    <a className="brand" href={href}>
      <Mark />
      {shell.brand}
    </a>
  )
}
