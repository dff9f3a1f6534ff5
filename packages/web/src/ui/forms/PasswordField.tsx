import { type ComponentProps, useState } from 'react'
import { forms } from '#messages/forms.ts'
import { IconButton } from './Button.tsx'
import { Field, type FieldProps } from './Field.tsx'

type PasswordFieldProps = FieldProps & Omit<ComponentProps<'input'>, 'className' | 'type'>

/** A password that can be shown. `autoComplete` is 'current-password' or 'new-password'. */
export function PasswordField({ label, optional, hint, error, className, id, ...input }: PasswordFieldProps) {
  const [shown, setShown] = useState(false)
  return (
    <Field {...{ label, optional, hint, error, className, id }}>
      {(control) => (
        <div className="input-box">
          <input
            className="input"
            autoCapitalize="none"
            spellCheck={false}
            {...input}
            {...control}
            type={shown ? 'text' : 'password'}
          />
          <IconButton
            icon={shown ? 'hidden' : 'eye'}
            label={shown ? forms.hidePassword : forms.showPassword}
            onClick={() => setShown(!shown)}
          />
        </div>
      )}
    </Field>
  )
}
