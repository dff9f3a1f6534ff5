import { maxCheckTextLength } from '@tern/contract/compliance/checks'
import { visibleText } from '@tern/contract/protocol/text/visible-text'
import { type ReactNode, useState } from 'react'
import { holds as texts } from '#messages/transfers/holds.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { Field } from '../../ui/forms/Field.tsx'
import { formatCount } from '../../ui/format/format-count.ts'
import { FocusedHeading } from '../../ui/layout/FocusedHeading.tsx'

interface CheckFormProps {
  title: string
  text: string
  label: string
  button: string
  isBusy: boolean
  error: string | undefined
  onSend: (text: string) => void
  onBack?: (() => void) | undefined
  children?: ReactNode
}

/** Text form about a check: an answer or an objection. */
export function CheckForm({ title, text, label, button, isBusy, error, onSend, onBack, children }: CheckFormProps) {
  const [explanation, setExplanation] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const Heading = onBack ? FocusedHeading : 'h2'
  return (
    <form
      className="grid grid-cols-1 gap-4 pt-5 border-t [&_textarea]:min-h-30 [&_textarea]:bg-transparent [&_textarea]:text-inherit [&_textarea]:resize-y"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const visible = visibleText(explanation)
        setIsMissing(visible === '')
        if (visible !== '') onSend(visible)
        else event.currentTarget.querySelector('textarea')?.focus()
      }}
    >
      <div>
        <Heading className="font-medium">{title}</Heading>
        <p className="small muted mt-1">{text}</p>
      </div>
      {children}
      <Field
        label={label}
        error={isMissing ? texts.empty : undefined}
        hint={texts.characters(formatCount(explanation.length), formatCount(maxCheckTextLength))}
      >
        {(control) => (
          <div className="input-box">
            <textarea
              className="input"
              rows={5}
              maxLength={maxCheckTextLength}
              value={explanation}
              onChange={({ currentTarget }) => {
                setExplanation(currentTarget.value)
                setIsMissing(false)
              }}
              {...control}
            />
          </div>
        )}
      </Field>
      {error && <Note tone="error">{error}</Note>}
      <div className="row flex-wrap">
        <Button look="primary" type="submit" processing={isBusy}>
          {button}
        </Button>
        {onBack && <Button onClick={onBack}>{texts.back}</Button>}
      </div>
    </form>
  )
}
