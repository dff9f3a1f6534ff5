import { type ReactNode, useState } from 'react'
import { useLocation } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { paths } from '../../../app/paths.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { AuthFrame } from '../AuthFrame.tsx'
import { CheckMail } from './CheckMail.tsx'
import { isEmailAddress } from './email-address.ts'
import { useAttempt } from '../use-attempt.ts'

interface MailFormProps {
  title: string
  lead: string
  /** Why the last link was no good. */
  failure?: string | undefined
  button: string
  send: (email: string) => Promise<unknown>
  /** What stands on the page once the mail is on its way. */
  sent: ReactNode
}

/** Asks for an address and has a link mailed to it. */
export function MailForm({ title, lead, failure, button, send, sent }: MailFormProps) {
  const handed = useLocation().state as { email?: string } | null
  const [email, setEmail] = useState(handed?.email ?? '')
  const [isSent, setIsSent] = useState(false)
  const attempt = useAttempt<'email', 'send'>(['email'])

  function submit() {
    if (!isEmailAddress(email)) return attempt.fail({ email: identity.emailInvalid })
    void attempt.run('send', identity.mailFailed, async () => {
      await send(email)
      setIsSent(true)
    })
  }

  if (isSent) {
    return (
      <CheckMail email={email} send={() => send(email)} back={() => setIsSent(false)}>
        {sent}
      </CheckMail>
    )
  }
  const reason = attempt.errors.form ?? (attempt.failures === 0 ? failure : undefined)
  return (
    <AuthFrame
      title={title}
      lead={lead}
      leadsWithTitle={failure !== undefined}
      onSubmit={submit}
      failures={attempt.failures}
      foot={
        <LinkButton look="ghost" className="auth-back" to={paths.login}>
          {identity.backToLogin}
        </LinkButton>
      }
    >
      {reason && <Note tone="error">{reason}</Note>}
      <TextField
        label={identity.email}
        type="email"
        name="email"
        autoComplete="username"
        autoCapitalize="none"
        placeholder={identity.emailPlaceholder}
        value={email}
        error={attempt.errors.email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Button type="submit" look="primary" big wide {...attempt.button('send')}>
        {button}
      </Button>
    </AuthFrame>
  )
}
