import type { ComponentProps } from 'react'
import { maxDisputeTextLength } from '@tern/contract/disputes/disputes'
import { visibleText } from '@tern/contract/protocol/text/visible-text'
import { Field, type FieldProps } from '../../ui/forms/Field.tsx'

type TextAreaProps = FieldProps & Omit<ComponentProps<'textarea'>, 'className'>

export function TextArea({ label, optional, hint, error, className, id, ...area }: TextAreaProps) {
  return (
    <Field {...{ label, optional, hint, error, className, id }}>
      {(control) => (
        <textarea
          className="[font:inherit] block w-full min-h-28 py-2.5 px-3 border border-line-strong rounded-control bg-sheet text-inherit resize-y focus-visible:[box-shadow:0_0_0_1px_var(--sea)] focus-visible:[outline:0] focus-visible:border-sea [.field-invalid_&]:[box-shadow:0_0_0_1px_var(--beak-ink)] [.field-invalid_&]:border-beak-ink"
          rows={4}
          maxLength={maxDisputeTextLength}
          {...area}
          {...control}
        />
      )}
    </Field>
  )
}

/** Collapses line breaks and other whitespace, because the server stores a single line. */
export const collapseLines = (text: string): string => visibleText(text.replaceAll(/\s+/g, ' '))
