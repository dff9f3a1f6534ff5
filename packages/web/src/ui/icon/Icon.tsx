import { type IconName, iconPaths } from './icons.ts'

interface DrawingProps {
  name: string
  path: string
  small?: boolean | undefined
}

/** Decorative line drawing on a grid of 24. */
export function Drawing({ name, path, small = false }: DrawingProps) {
  return (
    <svg className={`icon icon-${name}${small ? ' icon-small' : ''}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

/** Decorative icon, hidden from screen readers; the text beside it or the label of its button states the meaning. */
export function Icon({ name, small }: { name: IconName; small?: boolean | undefined }) {
  return <Drawing name={name} path={iconPaths[name]} small={small} />
}
