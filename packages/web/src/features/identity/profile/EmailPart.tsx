import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type CurrentUser, updateProfile } from '@tern/contract/identity'
import { useState } from 'react'
import { account } from '#messages/account.ts'
import { callWithProof, notConfirmed } from '../../../proofs.ts'
import { mergeUser } from '../../../session.ts'
import { Button } from '../../../ui/Button.tsx'
import { Note } from '../../../ui/Note.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useToast } from '../../../ui/Toast.tsx'
import { isEmailAddress } from '../email-address.ts'
import { FieldsForm } from '../FieldsForm.tsx'
import { Entry } from '../RuledSection.tsx'
import { securityQuery } from '../security-queries.ts'
import { StateSign } from '../StateSign.tsx'
import { useAttempt } from '../use-attempt.ts'
import { useConfirmationMail } from '../use-confirmation-mail.ts'

/** The address: whether it is confirmed, and moving the account to another one. */
export function EmailPart({ user }: { user: CurrentUser }) {
  const mail = useConfirmationMail(user.email)
  const move = useMove(user)
  const [isChanging, setIsChanging] = useState(false)
  const isConfirmed = user.email_verified
  return (
    <>
      <Entry
        title={user.email}
        text={
          <>
            <StateSign state={isConfirmed ? 'good' : 'open'}>
              {isConfirmed ? account.emailConfirmed : account.emailUnconfirmed}
            </StateSign>
            {!isConfirmed && <span className="block">{account.emailUnconfirmedText}</span>}
          </>
        }
      />
      {mail.outcome && <Note tone={mail.outcome.tone}>{mail.outcome.text}</Note>}
      {move.pending && (
        <Note live tone="warning">
          <p>{account.emailPending(move.pending, user.email)}</p>
          <Button
            look="ghost"
            className="note-button"
            processing={move.attempt.isBusy}
            onClick={() => void move.to(move.pending ?? '')}
          >
            {account.sendAgain}
          </Button>
        </Note>
      )}
      {isChanging ? (
        <ChangeForm user={user} move={move} onDone={() => setIsChanging(false)} />
      ) : (
        <>
          {move.fault && <Note tone="error">{move.fault}</Note>}
          <div className="flex flex-wrap gap-3">
            {!isConfirmed && (
              <Button processing={mail.isBusy} onClick={mail.send}>
                {account.sendConfirmation}
              </Button>
            )}
            <Button onClick={() => setIsChanging(true)}>{account.changeEmail}</Button>
          </div>
        </>
      )}
    </>
  )
}

/** Asking for the account to move to another address: proved first, then confirmed by a link mailed there. */
function useMove(user: CurrentUser) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const { data: security } = useQuery(securityQuery(user.id))
  const attempt = useAttempt<'email', 'move'>(['email'])

  /** True when the link is on its way. */
  async function to(email: string): Promise<boolean> {
    let isOnItsWay = false
    await attempt.run('move', account.failed, async () => {
      const reply = await callWithProof(updateProfile, { params: { id: String(user.id) }, body: { email } })
      if (reply === notConfirmed) return toast(account.notConfirmed, 'info')
      const { pending_email: pending, ...saved } = reply
      mergeUser(saved)
      queryClient.setQueryData(securityQuery(user.id).queryKey, (last) => last && { ...last, pending_email: pending })
      isOnItsWay = true
      if (pending) toast(account.confirmationSent(pending))
    })
    return isOnItsWay
  }

  const { email: fieldFault, form: formFault } = attempt.faults
  return { pending: security?.pending_email ?? undefined, attempt, to, fault: formFault ?? fieldFault }
}

interface ChangeFormProps {
  user: CurrentUser
  move: ReturnType<typeof useMove>
  onDone: () => void
}

function ChangeForm({ user, move: { attempt, to }, onDone }: ChangeFormProps) {
  const [email, setEmail] = useState('')

  async function submit() {
    const typed = email.trim().toLowerCase()
    if (!isEmailAddress(typed)) return attempt.fail({ email: account.emailInvalid })
    if (typed === user.email) return attempt.fail({ email: account.emailSame })
    if (await to(typed)) onDone()
  }

  return (
    <FieldsForm failures={attempt.failures} takesFocus onSubmit={() => void submit()}>
      {attempt.faults.form && <Note tone="error">{attempt.faults.form}</Note>}
      <TextField
        label={account.newEmail}
        name="email"
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        value={email}
        error={attempt.faults.email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <div className="form-actions">
        <Button type="submit" look="primary" {...attempt.button('move')}>
          {account.changeEmail}
        </Button>
        <Button disabled={attempt.isBusy} onClick={onDone}>
          {account.cancel}
        </Button>
      </div>
    </FieldsForm>
  )
}
