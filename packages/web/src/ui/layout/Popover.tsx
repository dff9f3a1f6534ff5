import { Popover as Base } from '@base-ui/react/popover'
import type { ReactNode } from 'react'
import { Icon } from '../icon/Icon.tsx'
import type { IconName } from '../icon/icons.ts'

interface PopoverProps {
  /** The words on the button that opens it; also the name of the panel. */
  label: string
  icon?: IconName | undefined
  open: boolean
  onOpenChange: (open: boolean) => void
  children: ReactNode
}

/** A button with a small panel, for choices that change the page behind it, such as a filter. */
export function Popover({ label, icon, open, onOpenChange, children }: PopoverProps) {
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Trigger className="button button-secondary" aria-label={label}>
        {icon && <Icon name={icon} />}
        <span className="wide-only">{label}</span>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="popover-positioner" sideOffset={8} align="end" collisionPadding={16}>
          <Base.Popup className="popover" aria-label={label}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
