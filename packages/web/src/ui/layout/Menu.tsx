import '../../css/menu.css'
import { Menu as Base } from '@base-ui/react/menu'
import type { ReactNode } from 'react'

export interface MenuItem {
  readonly label: string
  readonly icon: ReactNode
  readonly onChoose: () => void
  readonly disabled?: boolean | undefined
  /** Placed under a rule of its own. */
  readonly isLast?: boolean | undefined
}

interface MenuProps {
  trigger: ReactNode
  /** Accessible name of a trigger that shows only an icon. */
  label?: string | undefined
  className: string
  heading?: ReactNode
  items: readonly MenuItem[]
}

/** Button with a short list of actions: arrows move, Escape closes and returns the focus. A bottom sheet on phones. */
export function Menu({ trigger, label, className, heading, items }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger className={className} aria-label={label}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="menu-place" sideOffset={8} align="end" collisionPadding={16}>
          <Base.Popup className="menu">
            {heading && <div className="menu-heading small muted">{heading}</div>}
            {items.map(({ label: text, icon, onChoose, disabled, isLast }) => (
              <Base.Item
                key={text}
                className={isLast ? 'menu-item menu-last' : 'menu-item'}
                onClick={onChoose}
                disabled={disabled ?? false}
              >
                {icon}
                {text}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
