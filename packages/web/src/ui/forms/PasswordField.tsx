import { type ComponentProps, useState } from 'react'
import { forms } from '#messages/forms.ts'
import { EyeIcon } from '../icon/EyeIcon.tsx'
import { Field, type FieldProps } from './Field.tsx'

type PasswordFieldProps = FieldProps & Omit<ComponentProps<'input'>, 'className' | 'type'>

/** Password that can be revealed. `autoComplete` is 'current-password' or 'new-password'. */
export function PasswordField({ label, optional, hint, error, className, id, ...input }: PasswordFieldProps) {
  const [isVisible, setIsVisible] = useState(false)
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
            type={isVisible ? 'text' : 'password'}
          />
          <button
            type="button"
            className="button button-square"
            aria-label={isVisible ? forms.hidePassword : forms.showPassword}
            onClick={() => setIsVisible(!isVisible)}
          >
            <EyeIcon name={isVisible ? 'hidden' : 'eye'} />
          </button>
        </div>
      )}
    </Field>
  )
}
