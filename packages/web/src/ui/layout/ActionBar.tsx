import '../../css/action-bar.css'
import type { ReactNode } from 'react'
import { useCoveredHeight } from './use-covered-height.ts'

interface ActionBarProps {
  /** First line on phones: the effect of the action, or the missing input. */
  title: string
  detail?: string | undefined
  /** The lines are about to change; they stay, dimmed. */
  isBusy?: boolean
  /** Buttons, with the next action last. */
  children: ReactNode
}

/**
 * Buttons of a flow. On phones they form a bar at the foot of the window, above the keyboard, with two lines beside
 * them. The lines are a polite live region; wide screens hide them visually.
 */
export function ActionBar({ title, detail, isBusy = false, children }: ActionBarProps) {
  const coveredHeight = useCoveredHeight()
  return (
    <div className="action-bar" style={coveredHeight > 0 ? { bottom: coveredHeight } : undefined}>
      <p role="status" aria-busy={isBusy || undefined}>
        <b>{title}</b> <span>{detail}</span>
      </p>
      {children}
    </div>
  )
}
