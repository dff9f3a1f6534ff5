import { Refused } from '@tern/contract/protocol/client'
import {
  answerSecondFactor,
  secondFactorAnswer,
  type SecondFactor as Method,
  type SecondFactorReply,
  type SignedInReply,
} from '@tern/contract/sign-in'
import { useEffect, useRef, useState } from 'react'
import { identity } from '#messages/identity/identity.ts'
import { schemaErrors } from '../../../app/forms/resolver.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { AuthFrame } from '../AuthFrame.tsx'
import { confirmWithPasskey } from './passkey-sign-in.ts'
import { useAttempt } from '../use-attempt.ts'

const codeLength = 6

interface SecondFactorProps {
  asked: SecondFactorReply
  onSignedIn: (reply: SignedInReply) => Promise<void>
  /** Restarts the sign-in; `reason` is absent if the user chose to. */
  onRestart: (reason?: string) => void
}

const preferred = ['totp', 'passkey', 'recovery_code'] as const

const leads: Record<Method, string> = {
  totp: identity.enterCode,
  recovery_code: identity.enterRecoveryCode,
  passkey: identity.confirmByPasskey,
}

const ways: Record<Method, string> = {
  totp: identity.useApp,
  recovery_code: identity.useRecoveryCode,
  passkey: identity.usePasskey,
}

function useSecondFactor({ asked: { challenge, methods }, onSignedIn, onRestart }: SecondFactorProps) {
  const [method, setMethod] = useState<Method>(() => preferred.find((way) => methods.includes(way)) ?? 'totp')
  const attempt = useAttempt<{ code: string }, 'code' | 'passkey'>({ code: '' }, ({ code }) =>
    schemaErrors(secondFactorAnswer, { challenge, method, code }),
  )
  const { form } = attempt
  const code = form.watch('code')
  const setCode = (typed: string) => form.setValue('code', typed)

  /** Restarts on an invalid challenge; shows wrong codes at the field. */
  const answer = (action: 'code' | 'passkey', work: () => Promise<SignedInReply>, sent?: string) =>
    attempt.run(action, identity.loginFailed, async () => {
      try {
        await onSignedIn(await work())
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        if (error.code === 'challenge_invalid') return onRestart(error.message)
        // Text typed in the meantime is a new attempt.
        if (form.getValues('code') === sent) setCode('')
        if (error.code !== 'code_invalid' && error.code !== 'code_used') throw error
        attempt.fail({ code: error.message })
      }
    })

  const send = () =>
    attempt.submit(({ code: typed }) => {
      if (method === 'passkey') return undefined
      const body = { challenge, method, code: typed.trim() }
      return answer('code', () => callAsVisitor(answerSecondFactor, { body }), typed)
    })

  const askPasskey = () => void answer('passkey', () => confirmWithPasskey(challenge))

  return {
    ...attempt,
    method,
    code,
    submit: send,
    /** Submits an authenticator code once it is complete; pasted codes may contain spaces. */
    type(typed: string) {
      if (method !== 'totp') return setCode(typed)
      const digits = typed.replaceAll(/\D/g, '').slice(0, codeLength)
      setCode(digits)
      if (digits.length === codeLength && digits !== code && !attempt.isBusy) send()
    },
    askPasskey,
    turnTo(next: Method) {
      setMethod(next)
      setCode('')
      form.clearErrors()
      if (next === 'passkey') askPasskey()
    },
  }
}

/** Second factor after any first one: authenticator code, recovery code or passkey. */
export function SecondFactor(props: SecondFactorProps) {
  const form = useSecondFactor(props)
  const field = useRef<HTMLInputElement>(null)
  const isTotp = form.method === 'totp'
  useEffect(() => field.current?.focus(), [form.method])

  return (
    <AuthFrame
      title={identity.oneMoreStep}
      lead={leads[form.method]}
      leadsWithTitle={form.method === 'passkey'}
      onSubmit={form.submit}
      attempt={form}
      foot={
        <Button look="ghost" className="-ms-3 justify-self-start" onClick={() => props.onRestart()}>
          {identity.startAgain}
        </Button>
      }
    >
      {form.method === 'passkey' ? (
        <Button look="primary" big wide {...form.button('passkey')} onClick={form.askPasskey}>
          {identity.usePasskey}
        </Button>
      ) : (
        <>
          <TextField
            key={form.method}
            ref={field}
            label={isTotp ? identity.code : identity.recoveryCode}
            name="code"
            className={
              isTotp
                ? '[&_.input]:text-title/6 [&_.input]:font-normal [&_.input]:tabular-nums [&_.input]:tracking-[0.3em]'
                : undefined
            }
            inputMode={isTotp ? 'numeric' : 'text'}
            autoComplete={isTotp ? 'one-time-code' : 'off'}
            autoCapitalize={isTotp ? 'none' : 'characters'}
            spellCheck={false}
            value={form.code}
            error={form.fieldError('code')}
            onChange={(event) => form.type(event.target.value)}
          />
          <Button type="submit" look="primary" big wide {...form.button('code')}>
            {identity.confirm}
          </Button>
        </>
      )}
      <div className="-mx-3 -my-2 flex flex-wrap">
        {preferred
          .filter((way) => way !== form.method && props.asked.methods.includes(way))
          .map((way) => (
            <Button key={way} look="ghost" disabled={form.isBusy} onClick={() => form.turnTo(way)}>
              {ways[way]}
            </Button>
          ))}
      </div>
    </AuthFrame>
  )
}
