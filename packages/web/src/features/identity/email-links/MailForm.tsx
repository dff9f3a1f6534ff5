import { type ReactNode, useState } from 'react'
import { useLocation } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { paths } from '../../../app/paths.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { AuthFrame, EmailField } from '../AuthFrame.tsx'
import { CheckMail } from './CheckMail.tsx'
import { emailErrors } from '../field-errors.ts'
import { useAttempt } from '../use-attempt.ts'

interface MailFormProps {
  title: string
  lead: string
  /** Reason why the last link failed. */
  failure?: string | undefined
  button: string
  send: (email: string) => Promise<unknown>
  /** Content shown once the mail is sent. */
  sent: ReactNode
}

/** Form that mails a link to the entered address. */
export function MailForm({ title, lead, failure, button, send, sent }: MailFormProps) {
  const handover = useLocation().state as { email?: string } | null
  const [sentTo, setSentTo] = useState<string>()
  const attempt = useAttempt<{ email: string }, 'send'>({ email: handover?.email ?? '' }, emailErrors)

  const submit = () =>
    attempt.submit(({ email }) =>
      attempt.run('send', identity.mailFailed, async () => {
        await send(email)
        setSentTo(email)
      }),
    )

  if (sentTo !== undefined) {
    return (
      <CheckMail email={sentTo} send={() => send(sentTo)} onBack={() => setSentTo(undefined)}>
        {sent}
      </CheckMail>
    )
  }
  return (
    <AuthFrame
      title={title}
      lead={lead}
      showsTitleFirst={failure !== undefined}
      onSubmit={submit}
      attempt={{ ...attempt, error: attempt.error ?? (attempt.failures === 0 ? failure : undefined) }}
      footer={
        <LinkButton look="ghost" className="-ms-3 justify-self-start" to={paths.login}>
          {identity.backToLogin}
        </LinkButton>
      }
    >
      <EmailField {...attempt.field('email')} />
      <Button type="submit" look="primary" big wide {...attempt.button('send')}>
        {button}
      </Button>
    </AuthFrame>
  )
}
