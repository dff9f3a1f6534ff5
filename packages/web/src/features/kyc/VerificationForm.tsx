import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { type kycStatus, submitKyc, type VerificationForm as CheckedForm } from '@tern/contract/kyc'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { kyc } from '#messages/identity/kyc.ts'
import { callApi } from '../../app/session/session.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { formatDateTime } from '../../ui/format/format.ts'
import { Steps } from '../../ui/layout/Steps.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import {
  checkForm,
  emptyForm,
  fieldsOfSteps,
  type FormField,
  type FormValues,
  isFormField,
  stepOf,
} from './form-rules.ts'
import { dropKycDraft, keepKycDraft, readKycDraft } from './kyc-draft.ts'
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

const lastStep = fieldsOfSteps.length - 1

/** What stands in the form at first, and on which step: what was left in this tab, else nothing. */
function startOf(userId: number | undefined, email: string) {
  const draft = readKycDraft(userId)
  return { draft, values: { ...emptyForm, ...draft?.values, email } }
}

/** The fields among these in the order of the page. */
const inOrder = (isAmong: (name: FormField) => unknown) => fieldsOfSteps.flat().filter((name) => isAmong(name))

/** Which step is shown; what is filled in stays in this tab. */
function useSteps(form: VerificationFormState, userId: number | undefined, first: number) {
  const [step, setStep] = useState(first)
  const [sought, setSought] = useState<{ field: FormField }>()
  const { watch, setFocus, getValues } = form
  useEffect(() => {
    if (userId === undefined) return
    keepKycDraft(userId, step, getValues())
    const { unsubscribe } = watch((values) => keepKycDraft(userId, step, { ...emptyForm, ...values }))
    return unsubscribe
  }, [userId, step, watch, getValues])
  // Only now is the step of the field shown.
  useEffect(() => {
    if (sought) setFocus(sought.field)
  }, [sought, setFocus])

  /** Shows the first of these fields, on whichever step it stands. False when there is none. */
  function seek([field]: readonly FormField[]): boolean {
    if (!field) return false
    setStep(stepOf(field))
    setSought({ field })
    return true
  }
  return { step, setStep, seek }
}

/** The form, its step, and what happens when it is sent. */
function useVerification({ userId, email, onSubmitted }: VerificationFormProps) {
  const [start] = useState(() => startOf(userId, email))
  const [hasDraft, setHasDraft] = useState(start.draft !== undefined)
  const form: VerificationFormState = useForm<FormValues, unknown, CheckedForm>({
    defaultValues: start.values,
    resolver: checkForm,
    reValidateMode: 'onSubmit',
    shouldFocusError: false,
  })
  const { step, setStep, seek } = useSteps(form, userId, start.draft?.step ?? 0)

  /** Puts each sentence under the field it is about. False when none has a field. */
  function showUnderFields(reasons: readonly { field: string; message: string }[]): boolean {
    const known = reasons.flatMap(({ field, message }) => (isFormField(field) ? [{ field, message }] : []))
    for (const { field, message } of known) form.setError(field, { message })
    return seek(inOrder((name) => known.some(({ field }) => field === name)))
  }

  const send = form.handleSubmit(
    async (body) => {
      if (userId === undefined) return form.setError('root', { message: kyc.failed })
      try {
        const verdict = await callApi(submitKyc, { params: { id: String(userId) }, body })
        dropKycDraft()
        onSubmitted(verdict)
        showUnderFields(verdict.reasons)
      } catch (error) {
        const isShown = error instanceof Refused && showUnderFields(error.errors)
        if (!isShown) form.setError('root', { message: sentenceOf(error) })
      }
    },
    (errors) => void seek(inOrder((name) => errors[name])),
  )

  async function goOn() {
    const fields = fieldsOfSteps[step] ?? []
    setHasDraft(false)
    if (await form.trigger(fields)) return setStep(step + 1)
    seek(fields.filter((name) => form.getFieldState(name).error))
  }

  return {
    form,
    step,
    draft: hasDraft ? start.draft : undefined,
    submit: () => (step < lastStep ? goOn() : send()),
    goBack: () => setStep(step - 1),
    startOver() {
      dropKycDraft()
      setHasDraft(false)
      setStep(0)
      form.reset({ ...emptyForm, email })
    },
  }
}

/** Why it was not taken, where no field is named. */
function sentenceOf(error: unknown): string {
  const isRefused = error instanceof Refused
  if (isRefused && ['already_verified', 'verification_running', 'rate_limited'].includes(error.code))
    return error.message
  return isRefused || error instanceof Unreachable ? kyc.failed : kyc.unexpected
}

/**
 * The form of the identity check, in three steps. Errors stand under their fields; the first one gets the focus, on
 * whichever step it is. What is filled in stays in this tab, without any numbers.
 */
export function VerificationForm(props: VerificationFormProps) {
  const { form, step, draft, ...act } = useVerification(props)
  const field = useFieldOf(form)
  const { isSubmitting, errors } = form.formState
  const isLast = step === lastStep
  return (
    <form
      className="mt-6"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void act.submit()
      }}
    >
      <Steps steps={kyc.steps} current={step} />
      {draft && (
        <div className="mt-6">
          <Note>
            {kyc.draftKept(formatDateTime(draft.savedAt))}
            <Button look="ghost" className="-mb-2 -ms-3 block" onClick={act.startOver}>
              {kyc.startOver}
            </Button>
          </Note>
        </div>
      )}
      <Section title={kyc.personal} text={kyc.nameHint} isShown={step === 0}>
        <PersonFields field={field} />
      </Section>
      <Section title={kyc.address} isShown={step === 1}>
        <AddressFields form={form} field={field} />
      </Section>
      <Section title={kyc.document} text={kyc.documentHint} isShown={isLast}>
        <DocumentFields form={form} field={field} />
      </Section>
      {errors.root && (
        <div className="mt-8">
          <Note tone="error">{errors.root.message}</Note>
        </div>
      )}
      <div className="form-actions mt-8 max-sm:flex-col-reverse">
        {step === 0 ? (
          props.back
        ) : (
          <Button big onClick={act.goBack} disabled={isSubmitting}>
            {kyc.back}
          </Button>
        )}
        <Button look="primary" big type="submit" aria-disabled={isSubmitting || undefined}>
          {isLast ? (isSubmitting ? kyc.submitting : kyc.submit) : kyc.next}
        </Button>
      </div>
    </form>
  )
}

interface SectionProps {
  title: string
  text?: string
  isShown: boolean
  children: ReactNode
}

/** One step. Its heading takes the focus when the person comes to it, unless a field does. */
function Section({ title, text, isShown, children }: SectionProps) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const wasShown = useRef(isShown)
  useEffect(() => {
    if (isShown && !wasShown.current) {
      heading.current?.focus({ preventScroll: true })
      scrollTo({ top: 0 })
    }
    wasShown.current = isShown
  }, [isShown])
  return (
    <section className="mt-8" aria-labelledby={id} hidden={!isShown}>
      <h2 className="display-s outline-none" id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {text && <p className="small muted mt-1">{text}</p>}
      <div className="mt-4 grid items-start gap-x-4 gap-y-5 sm:grid-cols-2">{children}</div>
    </section>
  )
}
