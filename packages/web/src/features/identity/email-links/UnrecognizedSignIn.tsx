import { Refused } from '@tern/contract/protocol/client'
import { reportUnrecognizedSignIn } from '@tern/contract/sign-in'
import { useNavigate } from 'react-router'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { useAttempt } from '../use-attempt.ts'
import { MailedAction, UselessLink, useMailedSecret } from './MailedAction.tsx'

/** Reports an unrecognized sign-in from a mailed link: ends every session and asks for a new password. */
export function UnrecognizedSignIn() {
  const { secret, setState, isInvalid } = useMailedSecret('token')
  const attempt = useAttempt<object, 'report'>({})
  const navigate = useNavigate()

  const report = () =>
    void attempt.run('report', signInLinks.disownFailed, async () => {
      try {
        const reply = await callAsVisitor(reportUnrecognizedSignIn, { body: { token: secret } })
        await navigate({ pathname: paths.resetPassword, hash: `#token=${reply.reset_token}` }, { replace: true })
      } catch (error) {
        if (error instanceof Refused && error.code === 'link_invalid') setState('useless')
        throw error
      }
    })

  if (isInvalid) {
    const failure = attempt.error ?? signInLinks.linkIncomplete
    const { notMeInstead } = signInLinks
    return <UselessLink lead={notMeInstead} failure={failure} to={paths.resetPassword} label={titles.resetPassword} />
  }
  return (
    <MailedAction
      title={titles.unrecognizedSignIn}
      lead={signInLinks.notMeLead}
      failure={attempt.error}
      button={attempt.button('report')}
      label={signInLinks.unrecognizedSignIn}
      onConfirm={report}
    >
      <ol className="grid list-decimal gap-2.5 ps-6 marker:text-sea">
        {signInLinks.notMePoints.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ol>
    </MailedAction>
  )
}
