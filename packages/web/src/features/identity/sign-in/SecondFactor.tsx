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
  request: SecondFactorReply
  onSignedIn: (reply: SignedInReply) => Promise<void>
  /** Restarts the sign-in; `reason` is absent if the user chose to. */
  onRestart: (reason?: string) => void
}

const methodOrder = ['totp', 'passkey', 'recovery_code'] as const

const leadTexts: Record<Method, string> = {
  totp: identity.enterCode,
  recovery_code: identity.enterRecoveryCode,
  passkey: identity.confirmByPasskey,
}

const methodLabels: Record<Method, string> = {
  totp: identity.useApp,
  recovery_code: identity.useRecoveryCode,
  passkey: identity.usePasskey,
}

function useSecondFactor({ request: { challenge, methods }, onSignedIn, onRestart }: SecondFactorProps) {
  const [method, setMethod] = useState<Method>(
    () => methodOrder.find((candidate) => methods.includes(candidate)) ?? 'totp',
  )
  const attempt = useAttempt<{ code: string }, 'code' | 'passkey'>({ code: '' }, ({ code }) =>
    schemaErrors(secondFactorAnswer, { challenge, method, code }),
  )
  const { form } = attempt
  const code = form.watch('code')
  const setCode = (input: string) => form.setValue('code', input)

  /** Restarts on an invalid challenge; shows wrong codes at the field. */
  const answer = (action: 'code' | 'passkey', task: () => Promise<SignedInReply>, sentCode?: string) =>
    attempt.run(action, identity.loginFailed, async () => {
      try {
        await onSignedIn(await task())
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        if (error.code === 'challenge_invalid') return onRestart(error.message)
        // Text typed in the meantime is a new attempt.
        if (form.getValues('code') === sentCode) setCode('')
        if (error.code !== 'code_invalid' && error.code !== 'code_used') throw error
        attempt.showFailures({ code: error.message })
      }
    })

  const send = () =>
    attempt.submit(({ code: input }) => {
      if (method === 'passkey') return undefined
      const body = { challenge, method, code: input.trim() }
      return answer('code', () => callAsVisitor(answerSecondFactor, { body }), input)
    })

  const confirmByPasskey = () => void answer('passkey', () => confirmWithPasskey(challenge))

  return {
    ...attempt,
    method,
    code,
    submit: send,
    /** Submits an authenticator code once it is complete; pasted codes may contain spaces. */
    enterText(input: string) {
      if (method !== 'totp') return setCode(input)
      const digits = input.replaceAll(/\D/g, '').slice(0, codeLength)
      setCode(digits)
      if (digits.length === codeLength && digits !== code && !attempt.isBusy) send()
    },
    confirmByPasskey,
    switchMethod(next: Method) {
      setMethod(next)
      setCode('')
      form.clearErrors()
      if (next === 'passkey') confirmByPasskey()
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
      lead={leadTexts[form.method]}
      showsTitleFirst={form.method === 'passkey'}
      onSubmit={form.submit}
      attempt={form}
      footer={
        <Button look="ghost" className="-ms-3 justify-self-start" onClick={() => props.onRestart()}>
          {identity.startAgain}
        </Button>
      }
    >
      {form.method === 'passkey' ? (
        <Button look="primary" big wide {...form.button('passkey')} onClick={form.confirmByPasskey}>
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
            onChange={(event) => form.enterText(event.target.value)}
          />
          <Button type="submit" look="primary" big wide {...form.button('code')}>
            {identity.confirm}
          </Button>
        </>
      )}
      <div className="-mx-3 -my-2 flex flex-wrap">
        {methodOrder
          .filter((candidate) => candidate !== form.method && props.request.methods.includes(candidate))
          .map((candidate) => (
            <Button key={candidate} look="ghost" disabled={form.isBusy} onClick={() => form.switchMethod(candidate)}>
              {methodLabels[candidate]}
            </Button>
          ))}
      </div>
    </AuthFrame>
  )
}
