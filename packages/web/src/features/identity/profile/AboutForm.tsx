import { profileChange } from '@tern/contract/protocol/account-forms'
import { type CurrentUser, updateProfile, userProfile } from '@tern/contract/identity'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { account } from '#messages/identity/account.ts'
import { schemaErrors } from '../../../app/forms/resolver.ts'
import { callWithStepUp, notConfirmed } from '../../../app/step-up/step-up.ts'
import { buildQuery } from '../../../app/session/query.ts'
import { mergeUser } from '../../../app/session/session.ts'
import { LocalName } from '../../../app/recipient/LocalName.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { FieldsForm } from '../FieldsForm.tsx'
import { StatusBadge } from '../../../ui/feedback/StatusBadge.tsx'
import { useAttempt } from '../use-attempt.ts'

/** Verified name in its own script, as payers see it; empty for users without one. */
function LocalNameField({ userId }: { userId: number }) {
  const { data } = useQuery(buildQuery(['own-profile', userId], userProfile, { params: { id: String(userId) } }))
  return data?.local_name ? <LocalName name={data.local_name} /> : null
}

/** Form for name and username. Refused input stays in the fields. */
export function AboutForm({ user }: { user: CurrentUser }) {
  const start = { name: user.name ?? '', username: user.username }
  const attempt = useAttempt<typeof start, 'save'>(start, (values) => schemaErrors(profileChange, values))
  const { form } = attempt
  const toast = useToast()
  const lastValues = useRef(start)
  const { name: knownName, username: knownUsername } = start
  useEffect(() => {
    // Takes over changes made on another device, except in edited fields.
    const { name, username } = form.getValues()
    if (name === lastValues.current.name) form.setValue('name', knownName)
    if (username === lastValues.current.username) form.setValue('username', knownUsername)
    lastValues.current = { name: knownName, username: knownUsername }
  }, [form, knownName, knownUsername])
  const isVerified = user.kyc_status === 'verified'

  async function save({ name, username }: typeof start) {
    const body = {
      ...(isVerified || name.trim() === start.name ? {} : { name }),
      ...(username.trim().toLowerCase() === start.username ? {} : { username }),
    }
    if (Object.keys(body).length === 0) return toast(account.nothingToSave, 'info')
    const reply = await callWithStepUp(updateProfile, { params: { id: String(user.id) }, body })
    if (reply === notConfirmed) return toast(account.notConfirmed, 'info')
    const { pending_email: _, ...savedProfile } = reply
    mergeUser(savedProfile)
    // Keeps text typed while saving.
    if (form.getValues('name') === name) form.setValue('name', savedProfile.name ?? '')
    if (form.getValues('username') === username) form.setValue('username', savedProfile.username)
    toast(account.saved)
  }

  return (
    <FieldsForm
      attempt={attempt}
      onSubmit={() => attempt.submit((values) => attempt.run('save', account.failed, () => save(values)))}
    >
      {isVerified ? (
        <div>
          <p className="field-label">{account.name}</p>
          <p className="row flex-wrap">
            <span className="wrap-anywhere">{user.name}</span>
            <StatusBadge state="good">{account.nameVerified}</StatusBadge>
          </p>
          <LocalNameField userId={user.id} />
          <p className="hint">{account.nameVerifiedHint}</p>
        </div>
      ) : (
        <TextField
          label={account.name}
          optional
          autoComplete="name"
          hint={account.nameHint}
          {...attempt.field('name')}
        />
      )}
      <TextField
        label={account.username}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        hint={account.usernameHint}
        {...attempt.field('username')}
      />
      <div>
        <Button type="submit" look="primary" {...attempt.button('save')}>
          {account.save}
        </Button>
      </div>
    </FieldsForm>
  )
}
