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

type Busy = 'passkey' | 'mail' | 'code'

/** Refusals after which this confirmation cannot be completed. */
const endings: ReadonlySet<string> = new Set(['step_up_invalid', 'too_many_attempts', 'not_found'])

function errorsFrom(error: unknown): FormErrors<'password' | 'code'> {
  if (error instanceof PasskeyNotUsed || error instanceof Unreachable) return { root: error.message }
  if (!(error instanceof Refused)) return { root: stepUp.failed }
  if (error.code === 'code_invalid' || error.code === 'code_used') return { code: error.message }
  const errors: FormErrors<'password' | 'code'> = {}
  for (const { field, message } of error.errors) if (field === 'password' || field === 'code') errors[field] ??= message
  return Object.keys(errors).length > 0 ? errors : { root: error.message }
}

function useHasPassed(moment: string): boolean {
  const [hasPassed, setHasPassed] = useState(false)
  useEffect(() => {
    const leftMs = Math.min(Math.max(0, Date.parse(moment) - Date.now()), longestTimerMs)
    const timer = setTimeout(() => setHasPassed(true), leftMs)
    return () => clearTimeout(timer)
  }, [moment])
  return hasPassed
}

/** Password and code as typed. */
function useAnswer(ways: Pick<StepUpRequirement, 'password' | 'code'>) {
  const [isChosen, setIsChosen] = useState<boolean>()
  const isRecovering = ways.code === 'recovery_code' || isChosen
  const buildBody = ({ password, code }: Values) => ({
    code: code.replaceAll(/\s/g, ''),
    ...(isRecovering ? { method: 'recovery_code' as const } : {}),
    ...(ways.password ? { password } : {}),
  })
  const form = useForm<Values>({
    defaultValues: { password: '', code: '' },
    reValidateMode: 'onSubmit',
    shouldFocusError: false,
    resolver: createResolver((values) => ({
      ...schemaErrors(stepUpAnswer, buildBody(values)),
      ...(ways.password && values.password === '' ? { password: stepUp.passwordMissing } : {}),
      ...(ways.code !== null && values.code.trim() === '' ? { code: stepUp.codeMissing } : {}),
    })),
  })
  function turn() {
    setIsChosen(!isChosen)
    form.setValue('code', '')
    form.clearErrors()
  }
  return { form, buildBody, isRecovering, turn }
}

/** Confirmation by passkey, or by password and code: input, progress and errors. */
export function useStepUp({ id, expires_at: expiresAt, ...ways }: StepUpRequirement, onConfirmed: () => void) {
  const { form, buildBody, isRecovering, turn } = useAnswer(ways)
  const [failures, setFailures] = useState(0)
  const [busy, setBusy] = useState<Busy>()
  const [isMailed, setIsMailed] = useState(false)
  const [ending, setEnding] = useState<string>()
  const hasExpired = useHasPassed(expiresAt)

  async function attempt(what: Busy, step: () => Promise<unknown>): Promise<void> {
    if (busy) return
    form.clearErrors()
    setBusy(what)
    try {
      await step()
    } catch (error) {
      if (error instanceof Refused && endings.has(error.code)) setEnding(error.message)
      for (const [name, message] of Object.entries(errorsFrom(error)))
        form.setError(name as 'root', { message: message as string })
      setFailures((count) => count + 1)
    } finally {
      setBusy(undefined)
    }
  }

  const byPasskey = () =>
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

  async function byCode(): Promise<void> {
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
    /** Whether the code is a recovery code; undefined before the first choice. */
    isRecovering,
    /** Switches between the code of the app and a recovery code. */
    turnToOtherCode: turn,
    error: errors.root?.message,
    failures,
    busy,
    isMailed,
    /** Reason to start again; undefined while it can be completed. */
    ending: ending ?? (hasExpired ? stepUp.expired : undefined),
    byPasskey,
    sendCode,
    byCode: () => void byCode(),
  }
}

export type StepUpForm = ReturnType<typeof useStepUp>
