import { Refused, Unreachable } from '@tern/contract/protocol/client'
import {
  mailStepUpCode,
  type StepUpRequirement,
  stepUpPasskeyOptions,
  proveByCode,
  proveByPasskey,
  stepUpAnswer,
} from '@tern/contract/security'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { stepUp } from '#messages/identity/step-up.ts'
import { answerByPasskey, PasskeyNotUsed } from './passkeys.ts'
import { type FormErrors, createResolver, schemaErrors } from '../forms/resolver.ts'
import { callApi } from '../session/session.ts'

/** Longest delay of a browser timer, in milliseconds. */
const longestTimerMs = 2_147_483_647

interface Values {
  password: string
  code: string
}

type BusyAction = 'passkey' | 'mail' | 'code'

/** Refusals after which this confirmation cannot be completed. */
const endingCodes: ReadonlySet<string> = new Set(['step_up_invalid', 'too_many_attempts', 'not_found'])

function toFieldErrors(error: unknown): FormErrors<'password' | 'code'> {
  if (error instanceof PasskeyNotUsed || error instanceof Unreachable) return { root: error.message }
  if (!(error instanceof Refused)) return { root: stepUp.failed }
  if (error.code === 'code_invalid' || error.code === 'code_used') return { code: error.message }
  const errors: FormErrors<'password' | 'code'> = {}
  for (const { field, message } of error.errors) if (field === 'password' || field === 'code') errors[field] ??= message
  return Object.keys(errors).length > 0 ? errors : { root: error.message }
}

function useIsExpired(deadline: string): boolean {
  const [hasPassed, setHasPassed] = useState(false)
  useEffect(() => {
    const remainingMs = Math.min(Math.max(0, Date.parse(deadline) - Date.now()), longestTimerMs)
    const timer = setTimeout(() => setHasPassed(true), remainingMs)
    return () => clearTimeout(timer)
  }, [deadline])
  return hasPassed
}

/** Form for the password and the code; `buildBody` turns its values into the request. */
function useAnswerForm(methods: Pick<StepUpRequirement, 'password' | 'code'>) {
  const [isChosen, setIsChosen] = useState<boolean>()
  const usesRecoveryCode = methods.code === 'recovery_code' || isChosen
  const buildBody = ({ password, code }: Values) => ({
    code: code.replaceAll(/\s/g, ''),
    ...(usesRecoveryCode ? { method: 'recovery_code' as const } : {}),
    ...(methods.password ? { password } : {}),
  })
  const form = useForm<Values>({
    defaultValues: { password: '', code: '' },
    reValidateMode: 'onSubmit',
    shouldFocusError: false,
    resolver: createResolver((values) => ({
      ...schemaErrors(stepUpAnswer, buildBody(values)),
      ...(methods.password && values.password === '' ? { password: stepUp.passwordMissing } : {}),
      ...(methods.code !== null && values.code.trim() === '' ? { code: stepUp.codeMissing } : {}),
    })),
  })
  function switchCode() {
    setIsChosen(!isChosen)
    form.setValue('code', '')
    form.clearErrors()
  }
  return { form, buildBody, usesRecoveryCode, switchCode }
}

/** Confirmation by passkey, or by password and code: input, progress and errors. */
export function useStepUp({ id, expires_at: expiresAt, ...methods }: StepUpRequirement, onConfirmed: () => void) {
  const { form, buildBody, usesRecoveryCode, switchCode } = useAnswerForm(methods)
  const [failures, setFailures] = useState(0)
  const [busyAction, setBusyAction] = useState<BusyAction>()
  const [isMailed, setIsMailed] = useState(false)
  const [endReason, setEndReason] = useState<string>()
  const hasExpired = useIsExpired(expiresAt)

  async function attempt(action: BusyAction, step: () => Promise<unknown>): Promise<void> {
    if (busyAction) return
    form.clearErrors()
    setBusyAction(action)
    try {
      await step()
    } catch (error) {
      if (error instanceof Refused && endingCodes.has(error.code)) setEndReason(error.message)
      for (const [name, message] of Object.entries(toFieldErrors(error)))
        form.setError(name as 'root', { message: message as string })
      setFailures((count) => count + 1)
    } finally {
      setBusyAction(undefined)
    }
  }

  const confirmByPasskey = () =>
    attempt('passkey', async () => {
      const { ceremony, options } = await callApi(stepUpPasskeyOptions, { params: { id } })
      const response = await answerByPasskey(options)
      await callApi(proveByPasskey, { params: { id }, body: { ceremony, response } })
      onConfirmed()
    })

  const sendCode = () =>
    attempt('mail', async () => {
      await callApi(mailStepUpCode, { params: { id } })
      setIsMailed(true)
    })

  async function confirmByCode(): Promise<void> {
    let isValid = false
    await form.handleSubmit((values) => {
      isValid = true
      return attempt('code', async () => {
        await callApi(proveByCode, { params: { id }, body: buildBody(values) })
        onConfirmed()
      })
    })()
    if (!isValid) setFailures((count) => count + 1)
  }

  const { errors } = form.formState
  return {
    /** Props of a field's control. */
    field: (name: keyof Values) => ({ ...form.register(name), error: errors[name]?.message }),
    /** True if the code is a recovery code; undefined before the first choice. */
    usesRecoveryCode,
    /** Switches between the code of the app and a recovery code. */
    switchCode,
    error: errors.root?.message,
    failures,
    busyAction,
    isMailed,
    /** Reason why a new confirmation is needed; undefined while this one can be completed. */
    endReason: endReason ?? (hasExpired ? stepUp.expired : undefined),
    confirmByPasskey,
    sendCode,
    confirmByCode: () => void confirmByCode(),
  }
}

export type StepUpForm = ReturnType<typeof useStepUp>
