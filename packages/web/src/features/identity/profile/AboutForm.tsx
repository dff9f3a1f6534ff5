import { type CurrentUser, updateProfile } from '@tern/contract/identity'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { callApi, mergeUser } from '../../../app/session/session.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { FieldsForm } from '../FieldsForm.tsx'
import { StatusBadge } from '../../../ui/feedback/StatusBadge.tsx'
import { useAttempt } from '../use-attempt.ts'

/** Name and username, as they are until something is typed. What was typed stays when it is refused. */
export function AboutForm({ user }: { user: CurrentUser }) {
  const [typedName, setName] = useState<string>()
  const [typedUsername, setUsername] = useState<string>()
  const name = typedName ?? user.name ?? ''
  const username = typedUsername ?? user.username
  const attempt = useAttempt<'name' | 'username', 'save'>(['name', 'username'])
  const toast = useToast()
  const isVerified = user.kyc_status === 'verified'

  async function save() {
    const body = {
      ...(isVerified || name.trim() === (user.name ?? '') ? {} : { name }),
      ...(username.trim().toLowerCase() === user.username ? {} : { username }),
    }
    if (Object.keys(body).length === 0) return toast(account.nothingToSave, 'info')
    const { pending_email: _, ...saved } = await callApi(updateProfile, { params: { id: String(user.id) }, body })
    mergeUser(saved)
    // What was typed meanwhile is not what was saved.
    setName((typed) => (typed === name ? undefined : typed))
    setUsername((typed) => (typed === username ? undefined : typed))
    toast(account.saved)
  }

  return (
    <FieldsForm failures={attempt.failures} onSubmit={() => void attempt.run('save', account.failed, save)}>
      {attempt.errors.form && <Note tone="error">{attempt.errors.form}</Note>}
      {isVerified ? (
        <div>
          <p className="field-label">{account.name}</p>
          <p className="row flex-wrap">
            <span className="wrap-anywhere">{user.name}</span>
            <StatusBadge state="good">{account.nameVerified}</StatusBadge>
          </p>
          <p className="hint">{account.nameVerifiedHint}</p>
        </div>
      ) : (
        <TextField
          label={account.name}
          optional
          name="name"
          autoComplete="name"
          hint={account.nameHint}
          value={name}
          error={attempt.errors.name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <TextField
        label={account.username}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        hint={account.usernameHint}
        value={username}
        error={attempt.errors.username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <div>
        <Button type="submit" look="primary" {...attempt.button('save')}>
          {account.save}
        </Button>
      </div>
    </FieldsForm>
  )
}
