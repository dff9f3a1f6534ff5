import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { type kycStatus, submitKyc, type VerificationForm as CheckedForm } from '@tern/contract/kyc'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type ReactNode, useId } from 'react'
import { useForm } from 'react-hook-form'
import { kyc } from '#messages/identity/kyc.ts'
import { callApi } from '../../app/session/session.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { checkForm, emptyForm, type FormValues, isFormField } from './form-rules.ts'
import {
  AddressFields,
  DocumentFields,
  PersonFields,
  useFieldOf,
  type VerificationFormState,
} from './VerificationFields.tsx'

/** Where a verification stands, and what it lacks. */
export type Verdict = Reply<typeof kycStatus>

interface VerificationFormProps {
  userId: number | undefined
  email: string
  onSubmitted: (verdict: Verdict) => void
  back: ReactNode
}

/** Puts each sentence under the field it is about, and the focus on the first of them. False when none has a field. */
function showUnderFields(form: VerificationFormState, reasons: readonly { field: string; message: string }[]): boolean {
  const known = reasons.flatMap(({ field, message }) => (isFormField(field) ? [{ field, message }] : []))
  for (const { field, message } of known) form.setError(field, { message })
  const [first] = known
  if (first) form.setFocus(first.field)
  return first !== undefined
}

/** Shows what was wrong: under its fields, or in one sentence where no field is named. */
function showRefusal(form: VerificationFormState, error: unknown): void {
  const isRefused = error instanceof Refused
  if (isRefused && showUnderFields(form, error.errors)) return
  const isKnown = isRefused && ['already_verified', 'verification_running', 'rate_limited'].includes(error.code)
  const isExpected = isRefused || error instanceof Unreachable
  form.setError('root', { message: isKnown ? error.message : isExpected ? kyc.failed : kyc.unexpected })
}

/** The form of the identity check. Errors stand under their fields; the first one gets the focus. */
export function VerificationForm({ userId, email, onSubmitted, back }: VerificationFormProps) {
  const form = useForm<FormValues, unknown, CheckedForm>({
    defaultValues: { ...emptyForm, email },
    resolver: checkForm,
    reValidateMode: 'onSubmit',
  })
  const field = useFieldOf(form)
  const { isSubmitting, errors } = form.formState

  const submit = form.handleSubmit(async (body) => {
    if (userId === undefined) return form.setError('root', { message: kyc.failed })
    try {
      const verdict = await callApi(submitKyc, { params: { id: String(userId) }, body })
      onSubmitted(verdict)
      showUnderFields(form, verdict.reasons)
    } catch (error) {
      showRefusal(form, error)
    }
  })

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Section title={kyc.personal} text={kyc.nameHint}>
        <PersonFields form={form} field={field} />
      </Section>
      <Section title={kyc.document}>
        <DocumentFields form={form} field={field} />
      </Section>
      <Section title={kyc.address}>
        <AddressFields field={field} />
      </Section>
      {errors.root && (
        <div className="mt-8">
          <Note tone="error">{errors.root.message}</Note>
        </div>
      )}
      <div className="form-actions mt-8 max-sm:flex-col-reverse">
        {back}
        <Button look="primary" big type="submit" aria-disabled={isSubmitting || undefined}>
          {isSubmitting ? kyc.submitting : kyc.submit}
        </Button>
      </div>
    </form>
  )
}

function Section({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="mt-8 border-t pt-6" aria-labelledby={id}>
      <h2 className="display-s" id={id}>
        {title}
      </h2>
      {text && <p className="small muted mt-1">{text}</p>}
      <div className="mt-4 grid items-start gap-x-4 gap-y-5 sm:grid-cols-2">{children}</div>
    </section>
  )
}
