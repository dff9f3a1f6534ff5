import '../../css/switch.css'
import type { ComponentProps, ReactNode } from 'react'

type SwitchProps = Omit<ComponentProps<'input'>, 'type' | 'className'> & { children: ReactNode }

/** Something that is on or off at once; `children` is its label. */
export function Switch({ children, ...input }: SwitchProps) {
  return (
    <label className="switch">
      <input type="checkbox" role="switch" className="cover-input" {...input} />
      <span className="switch-track" />
      <span>{children}</span>
    </label>
  )
}
