import '../../css/checkbox.css'
import type { ComponentProps, ReactNode } from 'react'
import { Icon } from '../icon/Icon.tsx'

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'className'> & { children: ReactNode }

/** Checkbox of a form; `children` is its label. */
export function Checkbox({ children, ...input }: CheckboxProps) {
  return (
    <label className="checkbox">
      <input type="checkbox" className="cover-input" {...input} />
      <span className="checkbox-box" />
      <Icon name="check" />
      <span>{children}</span>
    </label>
  )
}
