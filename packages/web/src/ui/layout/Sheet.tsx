import type { ComponentProps } from 'react'
import { classNames } from '../icon/class-names.ts'

/**
 * Decorative bar at the top of a sheet, drawn like the scale bar of a map. Only the sheet with a screen's most
 * important number has it.
 */
export function ScaleBar() {
  return <div className="scale-bar" aria-hidden="true" />
}

type SheetProps = ComponentProps<'div'> & { scaleBar?: boolean | undefined }

/** Raised panel. `scaleBar` marks the most important one. Sheets are never nested. */
export function Sheet({ scaleBar, className, children, ...rest }: SheetProps) {
  return (
    <div className={classNames('sheet', className)} {...rest}>
      {scaleBar && <ScaleBar />}
      {children}
    </div>
  )
}
