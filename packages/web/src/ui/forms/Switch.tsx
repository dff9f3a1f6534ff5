import '../../css/switch.css'
import type { ComponentProps, ReactNode } from 'react'

type SwitchProps = Omit<ComponentProps<'input'>, 'type' | 'className'> & { children: ReactNode }

/** Switch that takes effect at once; `children` is its label. */
export function Switch({ children, ...input }: SwitchProps) {
  return (
    <label className="switch">
      <input type="checkbox" role="switch" className="cover-input" {...input} />
      <span className="switch-track" />
      <span>{children}</span>
    </label>
  )
}
