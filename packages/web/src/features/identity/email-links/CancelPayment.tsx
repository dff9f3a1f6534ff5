import { Refused } from '@tern/contract/protocol/client'
import { cancelByLink } from '@tern/contract/transfers/street-mode'
import { useState } from 'react'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { titles } from '#messages/shell.ts'
import { street as texts } from '#messages/transfers/street.ts'
import { paths } from '../../../app/paths.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { AuthFrame } from '../AuthFrame.tsx'
import { useAttempt } from '../use-attempt.ts'
import { useLinkSecret } from './link-secret.ts'

/** Cancels a payment held by street mode from a mailed link, without signing in. */
export function CancelPayment() {
  const [code, setCode] = useState<string | null>()
  const [state, setState] = useState<'asking' | 'useless' | 'cancelled'>('asking')
  const attempt = useAttempt<object, 'cancel'>({})
  useLinkSecret((query) => {
    setCode(query.get('code'))
    setState('asking')
  })

  const cancel = () =>
    void attempt.run('cancel', texts.cancelFailed, async () => {
      try {
        await callAsVisitor(cancelByLink, { body: { code: code ?? '' } })
        setState('cancelled')
      } catch (error) {
        if (error instanceof Refused && error.code !== 'rate_limited') setState('useless')
        throw error
      }
    })

  if (state === 'cancelled') {
    return (
      <AuthFrame title={texts.isCancelled} lead={texts.isCancelledText} showsTitleFirst>
        <LinkButton look="primary" big wide to={paths.resetPassword}>
          {signInLinks.choosePassword}
        </LinkButton>
      </AuthFrame>
    )
  }
  const isInvalid = code === null || state === 'useless'
  return (
    <AuthFrame
      title={isInvalid ? signInLinks.linkUseless : titles.cancelPayment}
      lead={isInvalid ? texts.cancelUseless : texts.cancelLead}
      footer={
        !isInvalid && (
          <LinkButton look="ghost" className="-ms-3 justify-self-start" to={paths.dashboard}>
            {texts.wasMe}
          </LinkButton>
        )
      }
    >
      {attempt.error && <Note tone="error">{attempt.error}</Note>}
      {isInvalid ? (
        <LinkButton look="primary" big wide to={paths.transactions}>
          {texts.toActivity}
        </LinkButton>
      ) : (
        <Button look="primary" big wide {...attempt.button('cancel')} onClick={cancel}>
          {texts.cancel}
        </Button>
      )}
    </AuthFrame>
  )
}
