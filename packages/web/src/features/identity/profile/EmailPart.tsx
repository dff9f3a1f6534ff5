import { useQuery, useQueryClient } from '@tanstack/react-query'
import { canonicalEmail } from '@tern/contract/protocol/text/email'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type CurrentUser, updateProfile } from '@tern/contract/identity'
import { useEffect, useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { callWithStepUp, notConfirmed } from '../../../app/step-up/step-up.ts'
import { callApi, mergeUser } from '../../../app/session/session.ts'
import { useNextStep } from '../../../app/verification/identity-check.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { emailErrors } from '../field-errors.ts'
import { FieldsForm } from '../FieldsForm.tsx'
import { Entry } from '../../../ui/layout/RuledSection.tsx'
import { securityQuery } from '../security-queries.ts'
import { StatusBadge } from '../../../ui/feedback/StatusBadge.tsx'
import { useAttempt } from '../use-attempt.ts'
import { useConfirmationMail } from '../email-links/use-confirmation-mail.ts'
import { useFocusReturn } from '../../../ui/settings/use-focus-return.ts'

/** Email address with its confirmation state, and the form to change it. */
export function EmailPart({ user }: { user: CurrentUser }) {
  const mail = useConfirmationMail(user.email)
  const emailChange = useEmailChange(user)
  const [isChanging, setIsChanging] = useState(false)
  const opener = useFocusReturn(isChanging)
  const isConfirmed = user.email_verified
  // While the verification's next step is to confirm the address, its section of the page offers the same mail.
  const { step, isKnown } = useNextStep(user)
  const isMailOffered = !isConfirmed && isKnown && step !== 'confirm_email'
  return (
    <>
      <Entry
        title={user.email}
        text={
          <>
            <StatusBadge state={isConfirmed ? 'good' : 'open'}>
              {isConfirmed ? account.emailConfirmed : account.emailUnconfirmed}
            </StatusBadge>
            {!isConfirmed && <span className="block">{account.emailUnconfirmedText}</span>}
          </>
        }
      />
      {mail.outcome && <Note tone={mail.outcome.tone}>{mail.outcome.text}</Note>}
      {emailChange.pending && (
        <Note live tone="warning">
          <p>{account.emailPending(emailChange.pending, user.email)}</p>
          <div className="-ms-3 mt-1 -mb-2 flex flex-wrap">
            <Button
              look="ghost"
              {...emailChange.attempt.button('move')}
              onClick={() => void emailChange.to(emailChange.pending ?? '')}
            >
              {account.sendAgain}
            </Button>
            <Button look="ghost" {...emailChange.attempt.button('cancel')} onClick={emailChange.cancel}>
              {account.cancelMove}
            </Button>
          </div>
        </Note>
      )}
      {isChanging ? (
        <ChangeForm emailChange={emailChange} onDone={() => setIsChanging(false)} />
      ) : (
        <>
          {emailChange.error && <Note tone="error">{emailChange.error}</Note>}
          <div className="flex flex-wrap gap-3">
            {isMailOffered && (
              <Button processing={mail.isBusy} onClick={mail.send}>
                {account.sendConfirmation}
              </Button>
            )}
            <Button ref={opener} onClick={() => setIsChanging(true)}>
              {account.changeEmail}
            </Button>
          </div>
        </>
      )}
    </>
  )
}

/** Change of the account's email: requires step-up, then confirmation by a link mailed to the new address. */
function useEmailChange(user: CurrentUser) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const { data: security } = useQuery(securityQuery(user.id))
  const attempt = useAttempt<{ email: string }, 'move' | 'cancel'>({ email: '' }, (values) => {
    const isSame = canonicalEmail(values.email) === user.email
    return isSame ? { email: account.emailSame } : emailErrors(values)
  })

  function applyReply({ pending_email: pending, ...savedProfile }: Reply<typeof updateProfile>) {
    mergeUser(savedProfile)
    queryClient.setQueryData(
      securityQuery(user.id).queryKey,
      (current) => current && { ...current, pending_email: pending },
    )
    return pending
  }

  /** Resolves to true if the confirmation link was sent. */
  async function to(email: string): Promise<boolean> {
    let isSent = false
    await attempt.run('move', account.failed, async () => {
      const reply = await callWithStepUp(updateProfile, { params: { id: String(user.id) }, body: { email } })
      if (reply === notConfirmed) return toast(account.notConfirmed, 'info')
      const pending = applyReply(reply)
      isSent = true
      if (pending) toast(account.confirmationSent(pending))
    })
    return isSent
  }

  /** Cancels a pending change by requesting the current address, which needs no step-up. */
  const cancel = () =>
    void attempt.run('cancel', account.failed, async () => {
      applyReply(await callApi(updateProfile, { params: { id: String(user.id) }, body: { email: user.email } }))
      toast(account.moveCancelled(user.email))
    })

  const error = attempt.error ?? attempt.fieldError('email')
  return { pending: security?.pending_email ?? undefined, attempt, to, cancel, error }
}

interface ChangeFormProps {
  emailChange: ReturnType<typeof useEmailChange>
  onDone: () => void
}

function ChangeForm({ emailChange: { attempt, to }, onDone }: ChangeFormProps) {
  const { setValue } = attempt.form
  useEffect(() => setValue('email', ''), [setValue])
  const submit = () =>
    attempt.submit(async ({ email }) => {
      if (await to(email)) onDone()
    })

  return (
    <FieldsForm
      attempt={attempt}
      onSubmit={submit}
      openedForm={{ label: account.changeEmail, isBusy: attempt.isBusy, onCancel: onDone }}
    >
      <TextField
        label={account.newEmail}
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        {...attempt.field('email')}
      />
    </FieldsForm>
  )
}
