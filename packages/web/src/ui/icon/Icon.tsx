import { type IconName, iconPaths } from './icons.ts'

/** A decorative icon; the words beside it, or the label of its button, say what it means. */
export function Icon({ name, small = false }: { name: IconName; small?: boolean | undefined }) {
  return (
    <svg className={`icon icon-${name}${small ? ' icon-small' : ''}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={iconPaths[name]} />
    </svg>
  )
}
