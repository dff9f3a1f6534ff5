import type { ComponentProps } from 'react'
import { classNames } from '../icon/class-names.ts'

/** The edge of a map. One sheet per screen carries it: the one that holds the number that matters. */
export function ScaleBar() {
  return <div className="scale-bar" aria-hidden="true" />
}

type SheetProps = ComponentProps<'div'> & { scaleBar?: boolean | undefined }

/** A raised piece of paper. `scaleBar` marks it as the one that matters. Never put one into another. */
export function Sheet({ scaleBar, className, children, ...rest }: SheetProps) {
  return (
    <div className={classNames('sheet', className)} {...rest}>
      {scaleBar && <ScaleBar />}
      {children}
    </div>
  )
}
