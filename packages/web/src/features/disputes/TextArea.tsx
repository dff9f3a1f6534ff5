import type { ComponentProps } from 'react'
import { longestDisputeText } from '@tern/contract/disputes/disputes'
import { visibleText } from '@tern/contract/protocol/text/visible-text'
import { Field, type FieldProps } from '../../ui/forms/Field.tsx'

type TextAreaProps = FieldProps & Omit<ComponentProps<'textarea'>, 'className'>

export function TextArea({ label, optional, hint, error, className, id, ...area }: TextAreaProps) {
  return (
    <Field {...{ label, optional, hint, error, className, id }}>
      {(control) => (
        <textarea className="dispute-text" rows={4} maxLength={longestDisputeText} {...area} {...control} />
      )}
    </Field>
  )
}

/** Collapses line breaks: the server stores single-line text. */
export const inOneLine = (text: string): string => visibleText(text.replaceAll(/\s+/g, ' '))
