import '../../css/menu.css'
import { Menu as Base } from '@base-ui/react/menu'
import type { ReactNode } from 'react'

export interface MenuItem {
  readonly label: string
  readonly icon: ReactNode
  readonly onChoose: () => void
  readonly disabled?: boolean | undefined
  /** Separated from the others by a line. */
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
        <Base.Positioner
          className="z-20 max-md:fixed! max-md:[inset:auto_0_0]! max-md:[transform:none]!"
          sideOffset={8}
          align="end"
          collisionPadding={16}
        >
          <Base.Popup className="[box-shadow:var(--shadow)] [outline:0] border w-80 max-w-[calc(100vw-32px)] p-1 rounded-sheet bg-sheet max-md:rounded-[var(--radius-large)_var(--radius-large)_0_0] max-md:w-full max-md:max-w-none max-md:pt-2 max-md:px-2 max-md:pb-[max(8px,env(safe-area-inset-bottom))]">
            {heading && <div className="border-b mb-1 pt-3 px-3 pb-4 wrap-anywhere small muted">{heading}</div>}
            {items.map(({ label: text, icon, onChoose, disabled, isLast }) => (
              <Base.Item
                key={text}
                className={
                  isLast
                    ? '[outline:0] font-book flex gap-3 items-center min-h-11 px-3 cursor-pointer max-md:min-h-13 [&_.icon]:text-ink-2 [&[data-highlighted]]:bg-sea-wash [&[data-disabled]]:text-ink-3 [&[data-disabled]]:cursor-default rounded-[0_0_8px_8px] border-t mt-1'
                    : '[outline:0] font-book flex gap-3 items-center min-h-11 px-3 rounded-[4px] cursor-pointer max-md:min-h-13 [&_.icon]:text-ink-2 [&[data-highlighted]]:bg-sea-wash [&[data-disabled]]:text-ink-3 [&[data-disabled]]:cursor-default'
                }
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
