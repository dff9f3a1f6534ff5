import '../../css/dialog.css'
import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { shell } from '#messages/shell.ts'
import { classNames } from '../icon/class-names.ts'
import { Icon } from '../icon/Icon.tsx'
import { ScaleBar } from './Sheet.tsx'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** 'large' is 680 px wide for details, 'small' 440 px for a question. Both become bottom sheets on phones. */
  size?: 'large' | 'small' | undefined
  scaleBar?: boolean | undefined
  /** Element that takes the focus at first; the close button by default. */
  initialFocus?: (() => HTMLElement | null | undefined) | undefined
  children: ReactNode
}

/** Dialog above the page: traps the focus, closes with Escape and returns the focus. */
export function Dialog({ open, onClose, title, size = 'large', scaleBar, initialFocus, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="scrim" />
        <Base.Popup
          className={classNames('dialog', size === 'small' && 'dialog-small')}
          {...(initialFocus ? { initialFocus } : {})}
        >
          {scaleBar && <ScaleBar />}
          <div className="px-4 pt-5 pb-6 md:px-8 md:pt-6 md:pb-8">
            <div className="flex min-h-11 items-center gap-4">
              <Base.Title render={<h2 />} className={size === 'small' ? 'display-s' : 'small muted font-bold'}>
                {title}
              </Base.Title>
              <Base.Close className="button button-square ms-auto -me-3" aria-label={shell.close}>
                <Icon name="cross" />
              </Base.Close>
            </div>
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
