import type { ComponentProps } from 'react'
import { Segmented } from '../../ui/forms/Segmented.tsx'

/** Segmented choice with a visible label. */
export function DemoChoice<Value extends string>(props: ComponentProps<typeof Segmented<Value>>) {
  return (
    <>
      <p className="field-label" aria-hidden="true">
        {props.label}
      </p>
      <Segmented {...props} />
    </>
  )
}
