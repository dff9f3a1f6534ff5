import type { ReactNode } from 'react'
import { Icon } from '../icon/Icon.tsx'

const icons = { good: 'check', open: 'clock', plain: undefined } as const

/** Status as a word; `good` and `open` also have an icon, so that colour is never the only sign. */
export function StatusBadge({ state, children }: { state: keyof typeof icons; children: ReactNode }) {
  const icon = icons[state]
  return (
    <span className={`state state-${state}`}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  )
}
