import { type ReactNode, useEffect, useState } from 'react'
import { identity } from '#messages/identity/identity.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { AuthFrame } from '../AuthFrame.tsx'
import { useAttempt } from '../use-attempt.ts'

const resendAfterSeconds = 30

/** Counts down from `seconds`, again after each `restart`. */
function useSecondsLeft(seconds: number): { remaining: number; restart: () => void } {
  const [secondsLeft, setSecondsLeft] = useState(seconds)
  const canResend = secondsLeft <= 0
  useEffect(() => {
    if (canResend) return
    const timer = setInterval(() => setSecondsLeft((before) => before - 1), 1000)
    return () => clearInterval(timer)
  }, [canResend])
  return { remaining: secondsLeft, restart: () => setSecondsLeft(seconds) }
}

interface CheckMailProps {
  email: string
  /** Contents of the mail; identical whether or not the address is registered. */
  children: ReactNode
  send: () => Promise<unknown>
  onBack: () => void
}

/** Confirms that a link was mailed to `email`, and offers to resend it. */
export function CheckMail({ email, children, send, onBack }: CheckMailProps) {
  const attempt = useAttempt<object, 'send'>({})
  const [isResent, setIsResent] = useState(false)
  const { remaining, restart } = useSecondsLeft(resendAfterSeconds)
  const sendAgain = () =>
    void attempt.run('send', identity.mailFailed, async () => {
      await send()
      setIsResent(true)
      restart()
    })
  return (
    <AuthFrame
      title={identity.checkMail}
      attempt={attempt}
      showsTitleFirst
      lead={
        <>
          {identity.mailIsFor} <strong className="font-medium wrap-anywhere text-ink">{email}</strong>
        </>
      }
    >
      <p>{children}</p>
      <p className="small muted" role="status">
        {isResent ? identity.sentAgain : identity.lookInSpam}
      </p>
      <Button big wide processing={attempt.isBusy} disabled={remaining > 0} onClick={sendAgain}>
        {remaining > 0 ? identity.sendAgainIn(remaining) : identity.sendAgain}
      </Button>
      <Button look="ghost" className="-ms-3 justify-self-start" onClick={onBack}>
        {identity.back}
      </Button>
    </AuthFrame>
  )
}
