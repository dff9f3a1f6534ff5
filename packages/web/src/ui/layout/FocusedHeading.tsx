import { type ComponentProps, useEffect, useRef } from 'react'
import { classNames } from '../icon/class-names.ts'

/** Heading that takes the focus when it appears, so that it is announced. */
export function FocusedHeading({
  level: Level = 'h2',
  className,
  ...rest
}: ComponentProps<'h2'> & { level?: 'h1' | 'h2' }) {
  const place = useRef<HTMLHeadingElement>(null)
  useEffect(() => place.current?.focus({ preventScroll: true }), [])
  return <Level className={classNames('outline-none', className)} tabIndex={-1} ref={place} {...rest} />
}
