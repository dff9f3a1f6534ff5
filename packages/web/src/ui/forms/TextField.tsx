import type { ComponentProps } from 'react'
import { Field, type FieldProps } from './Field.tsx'
import { Icon } from '../icon/Icon.tsx'
import type { IconName } from '../icon/icons.ts'

type TextFieldProps = FieldProps & Omit<ComponentProps<'input'>, 'className'> & { icon?: IconName | undefined }

/** Single-line text field. Set `autoComplete`, `inputMode` and `type` so that phones and password managers can help. */
export function TextField({ label, optional, hint, error, className, icon, id, ...input }: TextFieldProps) {
  return (
    <Field {...{ label, optional, hint, error, className, id }}>
      {(control) => (
        <div className="input-box">
          {icon && <Icon name={icon} />}
          <input className="input" {...input} {...control} />
        </div>
      )}
    </Field>
  )
}
