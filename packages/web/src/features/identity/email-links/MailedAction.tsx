import { type ReactNode, useState } from 'react'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { paths } from '../../../app/paths.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { AuthFrame } from '../AuthFrame.tsx'
import type { useAttempt } from '../use-attempt.ts'
import { useLinkSecret } from './link-secret.ts'

type LinkState = 'asking' | 'useless' | 'done'

/**
 * Secret of a mailed link in the parameter `name`: undefined until it is read, null if it is missing. `state` starts
 * again when another link is opened.
 */
export function useMailedSecret(name: string) {
  const [secret, setSecret] = useState<string | null>()
  const [state, setState] = useState<LinkState>('asking')
  useLinkSecret((query) => {
    setSecret(query.get(name))
    setState('asking')
  })
  return { secret: secret ?? '', state, setState, isInvalid: secret === null || state === 'useless' }
}

interface MailedActionProps {
  title: string
  lead?: string | undefined
  /** Shown above the error and the button. */
  children?: ReactNode
  failure?: string | undefined
  button: ReturnType<ReturnType<typeof useAttempt>['button']>
  label: string
  onConfirm: () => void
  wasMe?: string
}

/** Page of a mailed link that carries out one act when its button is pressed, without signing in. */
export function MailedAction(props: MailedActionProps) {
  const { title, lead, children, failure, button, label, onConfirm, wasMe = signInLinks.wasMe } = props
  return (
    <AuthFrame
      title={title}
      lead={lead}
      footer={
        <LinkButton look="ghost" className="-ms-3 justify-self-start" to={paths.dashboard}>
          {wasMe}
        </LinkButton>
      }
    >
      {children}
      {failure && <Note tone="error">{failure}</Note>}
      <Button look="primary" big wide {...button} onClick={onConfirm}>
        {label}
      </Button>
    </AuthFrame>
  )
}

interface UselessLinkProps {
  lead?: string | undefined
  failure?: string | undefined
  to: string
  label: string
}

/** Shown instead of `MailedAction` for a link that is incomplete, expired or used, with another way to act. */
export function UselessLink({ lead, failure, to, label }: UselessLinkProps) {
  return (
    <AuthFrame title={signInLinks.linkUseless} lead={lead}>
      {failure && <Note tone="error">{failure}</Note>}
      <LinkButton look="primary" big wide to={to}>
        {label}
      </LinkButton>
    </AuthFrame>
  )
}

/** Confirms the act, and leads on to a new password. */
export function ActionDone({ title, lead }: { title: string; lead: string }) {
  return (
    <AuthFrame title={title} lead={lead} showsTitleFirst>
      <LinkButton look="primary" big wide to={paths.resetPassword}>
        {signInLinks.choosePassword}
      </LinkButton>
    </AuthFrame>
  )
}
