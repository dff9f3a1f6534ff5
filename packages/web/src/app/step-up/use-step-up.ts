import { Refused, Unreachable } from '@tern/contract/protocol/client'
import {
  mailStepUpCode,
  type StepUpRequirement,
  stepUpPasskeyOptions,
  proveByCode,
  proveByPasskey,
} from '@tern/contract/security'
import { useEffect, useState } from 'react'
import { stepUp } from '#messages/identity/step-up.ts'
import { answerByPasskey, PasskeyUnused } from './passkeys.ts'
import { callApi } from '../session/session.ts'

export interface StepUpErrors {
  readonly password?: string
  readonly code?: string
  /** What is wrong with no field in particular. */
  readonly form?: string
}

/** What a timer of the browser can wait at most. */
const longestTimerMs = 2_147_483_647

type Busy = 'passkey' | 'mail' | 'code'

/** Codes after which this confirmation cannot be finished any more. */
const endings: ReadonlySet<string> = new Set(['step_up_invalid', 'too_many_attempts', 'not_found'])

function faultsOf(error: unknown): StepUpErrors {
  if (error instanceof PasskeyUnused || error instanceof Unreachable) return { form: error.message }
  if (!(error instanceof Refused)) return { form: stepUp.failed }
  if (error.code === 'invalid_credentials') return { password: stepUp.passwordWrong }
  if (error.code === 'code_invalid') return { code: error.message }
  const errors: { password?: string; code?: string } = {}
  for (const { field, message } of error.errors) if (field === 'password' || field === 'code') errors[field] ??= message
  return Object.keys(errors).length > 0 ? errors : { form: error.message }
}

/** True once the moment has passed. */
function useHasPassed(moment: string): boolean {
  const [hasPassed, setHasPassed] = useState(false)
  useEffect(() => {
    const leftMs = Math.min(Math.max(0, Date.parse(moment) - Date.now()), longestTimerMs)
    const timer = setTimeout(() => setHasPassed(true), leftMs)
    return () => clearTimeout(timer)
  }, [moment])
  return hasPassed
}

/** The password and the code as they are typed; `isRecovering` says that it is a recovery code, once that was chosen. */
function useTyped(ways: Pick<StepUpRequirement, 'password' | 'code'>) {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [isRecovering, setIsRecovering] = useState<boolean>()
  return {
    password: { value: password, set: setPassword },
    code: { value: code, set: setCode },
    isRecovering,
    turn() {
      setIsRecovering(!isRecovering)
      setCode('')
    },
    missing: {
      ...(ways.password && password === '' ? { password: stepUp.passwordMissing } : {}),
      ...(ways.code !== null && code.trim() === '' ? { code: stepUp.codeMissing } : {}),
    },
    body: {
      code: code.replaceAll(/\s/g, ''),
      ...(isRecovering ? { method: 'recovery_code' as const } : {}),
      ...(ways.password ? { password } : {}),
    },
  }
}

/** Confirming by passkey, or by password and code: what is typed, what is under way, and what was wrong. */
export function useStepUp({ id, expires_at: expiresAt, ...ways }: StepUpRequirement, onConfirmed: () => void) {
  const { missing, body, turn, ...typed } = useTyped(ways)
  const [errors, setErrors] = useState<StepUpErrors>({})
  const [failures, setFailures] = useState(0)
  const [busy, setBusy] = useState<Busy>()
  const [isMailed, setIsMailed] = useState(false)
  const [ending, setEnding] = useState<string>()
  const hasExpired = useHasPassed(expiresAt)

  async function attempt(what: Busy, step: () => Promise<unknown>): Promise<void> {
    if (busy) return
    setErrors({})
    setBusy(what)
    try {
      await step()
    } catch (error) {
      if (error instanceof Refused && endings.has(error.code)) setEnding(error.message)
      setErrors(faultsOf(error))
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

  function byCode() {
    if (Object.keys(missing).length > 0) {
      setErrors(missing)
      return setFailures((count) => count + 1)
    }
    void attempt('code', async () => {
      await callApi(proveByCode, { params: { id }, body })
      onConfirmed()
    })
  }

  return {
    ...typed,
    /** Turns from the app to a recovery code, or back. */
    turnToOtherCode() {
      turn()
      setErrors({})
    },
    errors,
    failures,
    busy,
    isMailed,
    /** Why it has to be begun again; undefined while it can be finished. */
    ending: ending ?? (hasExpired ? stepUp.expired : undefined),
    byPasskey,
    sendCode,
    byCode,
  }
}

export type StepUpForm = ReturnType<typeof useStepUp>
