import type { ComponentProps } from 'react'
import { classNames } from '../icon/class-names.ts'

/** Edge of a map. One sheet per screen carries it: the one with the most important number. */
export function ScaleBar() {
  return <div className="scale-bar" aria-hidden="true" />
}

type SheetProps = ComponentProps<'div'> & { scaleBar?: boolean | undefined }

/** Raised sheet of paper. `scaleBar` marks the most important one. Sheets are never nested. */
export function Sheet({ scaleBar, className, children, ...rest }: SheetProps) {
  return (
    <div className={classNames('sheet', className)} {...rest}>
      {scaleBar && <ScaleBar />}
      {children}
    </div>
  )
}
