import type { ReactNode } from 'react'
import { Icon } from '../icon/Icon.tsx'

const icons = { good: 'check', open: 'clock', plain: undefined } as const

/** How something stands: a sign and a word, never the colour alone. */
export function StatusBadge({ state, children }: { state: keyof typeof icons; children: ReactNode }) {
  const icon = icons[state]
  return (
    <span className={`state state-${state}`}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  )
}
