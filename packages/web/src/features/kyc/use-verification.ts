import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { submitKyc, type VerificationForm as CheckedForm } from '@tern/contract/kyc/verification-form'
import { useEffect, useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { kyc } from '#messages/identity/kyc.ts'
import { callApi } from '../../app/session/session.ts'
import { emptyForm, fieldsByStep, type FormField, type FormValues, isFormField, findStep } from './form-fields.ts'
import { checkForm } from './form-rules.ts'
import { removeKycDraft, storeKycDraft, readKycDraft } from './kyc-draft.ts'
import type { Verdict } from '../../app/verification/identity-check.ts'
import type { VerificationFormState } from './VerificationFields.tsx'

export interface VerificationProps {
  userId: number | undefined
  email: string
  reasons: Verdict['reasons']
  onSubmitted: (verdict: Verdict) => void
}

export const lastStep = fieldsByStep.length - 1

/** Initial values and draft: those stored in this tab, otherwise empty. */
function initialState(userId: number | undefined, email: string) {
  const draft = readKycDraft(userId)
  return { draft, values: { ...emptyForm, ...draft?.values, email } }
}

/** Matching fields in page order. */
const filterFields = (isIncluded: (name: FormField) => unknown) =>
  fieldsByStep.flat().filter((name) => isIncluded(name))

/** Current step of the form; stores the entries in this tab. */
function useSteps(form: VerificationFormState, userId: number | undefined, first: number) {
  const [step, setStep] = useState(first)
  const [requestedField, setRequestedField] = useState<{ field: FormField }>()
  const { watch, getValues } = form
  useEffect(() => {
    if (userId === undefined) return
    storeKycDraft(userId, step, getValues())
    const { unsubscribe } = watch((values) => storeKycDraft(userId, step, { ...emptyForm, ...values }))
    return unsubscribe
  }, [userId, step, watch, getValues])
  // Runs after the step with the field is rendered.
  useEffect(() => {
    if (requestedField) document.getElementById(requestedField.field)?.focus()
  }, [requestedField])

  function goToField(field: FormField): void {
    setStep(findStep(field))
    setRequestedField({ field })
  }
  return { step, setStep, goToField }
}

export function useVerification({ userId, email, reasons, onSubmitted }: VerificationProps) {
  const [start] = useState(() => initialState(userId, email))
  const [hasDraft, setHasDraft] = useState(start.draft !== undefined)
  const [attempts, setAttempts] = useState(0)
  const form: VerificationFormState = useForm<FormValues, unknown, CheckedForm>({
    defaultValues: start.values,
    resolver: checkForm,
    reValidateMode: 'onSubmit',
    shouldFocusError: false,
  })
  const { step, setStep, goToField } = useSteps(form, userId, start.draft?.step ?? 0)

  /** Shows each message at its field. Returns false if none of the fields is in the form. */
  function showReasons(reasons: readonly { field: string; message: string }[]): boolean {
    const fieldReasons = reasons.flatMap(({ field, message }) => (isFormField(field) ? [{ field, message }] : []))
    for (const { field, message } of fieldReasons) form.setError(field, { message })
    return showErrors(filterFields((name) => fieldReasons.some(({ field }) => field === name)))
  }

  /** Opens the step of the first field, with the error summary. */
  function showErrors([field]: readonly FormField[]): boolean {
    if (!field) return false
    setStep(findStep(field))
    setAttempts((count) => count + 1)
    return true
  }

  const [markedFields] = useState(reasons)
  useEffect(() => {
    for (const { field, message } of markedFields) if (isFormField(field)) form.setError(field, { message })
  }, [markedFields, form])
  // Reasons returned for the form just submitted.
  const returnedReasons = useRef(reasons)
  useEffect(() => {
    if (reasons === returnedReasons.current) return
    returnedReasons.current = reasons
    showReasons(reasons)
  })

  const send = form.handleSubmit(
    async (body) => {
      if (userId === undefined) return form.setError('root', { message: kyc.failed })
      try {
        const verdict = await callApi(submitKyc, { params: { id: String(userId) }, body })
        onSubmitted(verdict)
      } catch (error) {
        const isShown = error instanceof Refused && showReasons(error.errors)
        if (!isShown) form.setError('root', { message: describeFailure(error) })
      }
    },
    (errors) => void showErrors(filterFields((name) => errors[name])),
  )

  async function continueForm() {
    // Also validates earlier steps: the chosen country determines whether the person is of age.
    const fields = fieldsByStep.slice(0, step + 1).flat()
    setHasDraft(false)
    if (await form.trigger(fields)) return setStep(step + 1)
    showErrors(fields.filter((name) => form.getFieldState(name).error))
  }

  const { errors } = form.formState
  return {
    form,
    step,
    attempts,
    /** A date refused during input is shown only at its field. */
    hasSummary: attempts > 0 || markedFields.length > 0,
    errors: filterFields((name) => errors[name]).map((field) => ({ field, message: errors[field]?.message ?? '' })),
    goToField,
    draft: hasDraft ? start.draft : undefined,
    submit: () => (step < lastStep ? continueForm() : send()),
    goBack: () => setStep(step - 1),
    startOver() {
      removeKycDraft()
      setHasDraft(false)
      setStep(0)
      form.reset({ ...emptyForm, email })
    },
  }
}

/** Message for a failure that names no field. */
function describeFailure(error: unknown): string {
  const isRefused = error instanceof Refused
  if (isRefused && ['already_verified', 'verification_running', 'rate_limited'].includes(error.code))
    return error.message
  return isRefused || error instanceof Unreachable ? kyc.failed : kyc.unexpected
}
