import type { ProofDemand } from '@tern/contract/security'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { proofs } from '#messages/proofs.ts'
import type { Confirmation } from './step-up.ts'
import { useSession } from '../session/session.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { Dialog } from '../../ui/layout/Dialog.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { PasswordField } from '../../ui/forms/PasswordField.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { type ProofForm, useProof } from './use-step-up.ts'

interface ProofDialogProps {
  demand: ProofDemand
  open: boolean
  onEnd: (answer: Confirmation) => void
}

const termOf = (name: string): string => {
  const words = name.replaceAll('_', ' ')
  return proofs.terms[name] ?? words.charAt(0).toLocaleUpperCase() + words.slice(1)
}

/** What is being confirmed, and the ways to confirm it. A page shows it by `callWithProof` of app/step-up/step-up.ts. */
export function ProofDialog({ demand, open, onEnd }: ProofDialogProps) {
  const form = useProof(demand, () => onEnd('confirmed'))
  const session = useSession()
  const isOut = session.status === 'out'
  useEffect(() => {
    if (isOut) onEnd('cancelled')
  }, [isOut, onEnd])
  const first = useRef<HTMLDivElement>(null)
  const subject = Object.entries(demand.subject)
  return (
    <Dialog
      open={open}
      onClose={() => onEnd('cancelled')}
      title={proofs.title}
      size="small"
      initialFocus={() => first.current?.querySelector<HTMLElement>('input, .button-primary')}
    >
      <p className="muted">{proofs.leads[demand.action]}</p>
      {subject.length > 0 && (
        <div className="mt-4 border-y">
          <DefinitionList
            small
            entries={subject.map(([name, value]) => ({ term: termOf(name), value, sum: name === 'total' }))}
          />
        </div>
      )}
      <div className="mt-6" ref={first}>
        {form.ending ? (
          <Ended reason={form.ending} onAgain={() => onEnd('expired')} />
        ) : (
          <Ways demand={demand} form={form} onCancel={() => onEnd('cancelled')} />
        )}
      </div>
    </Dialog>
  )
}

function Ended({ reason, onAgain }: { reason: string; onAgain: () => void }) {
  const again = useRef<HTMLButtonElement>(null)
  // Before the dialog notices that the focused control has gone, or it would take the focus itself a frame later.
  useLayoutEffect(() => again.current?.focus(), [])
  return (
    <div className="grid gap-4">
      <Note tone="error">{reason}</Note>
      <Button look="primary" big wide ref={again} onClick={onAgain}>
        {proofs.startAgain}
      </Button>
    </div>
  )
}

function otherWayOf({ password, code }: ProofDemand): string {
  if (!password) return proofs.withCode
  return code === null ? proofs.withPasswordAlone : proofs.withPassword
}

interface WaysProps {
  demand: ProofDemand
  form: ProofForm
  onCancel: () => void
}

function Ways({ demand, form, onCancel }: WaysProps) {
  const [takesPasskey, setTakesPasskey] = useState(demand.passkey)
  if (!takesPasskey) return <CodeForm demand={demand} form={form} onCancel={onCancel} />
  return (
    <div className="grid gap-3">
      {form.faults.form && <Note tone="error">{form.faults.form}</Note>}
      <Button
        look="primary"
        big
        wide
        icon="lock"
        processing={form.busy === 'passkey'}
        onClick={() => void form.byPasskey()}
      >
        {proofs.byPasskey}
      </Button>
      <Button look="ghost" wide onClick={() => setTakesPasskey(false)}>
        {otherWayOf(demand)}
      </Button>
    </div>
  )
}

function CodeForm({ demand, form, onCancel }: WaysProps) {
  const fields = useRef<HTMLFormElement>(null)
  const { faults, failures, busy } = form
  // The first control when the form appears (as above, before the dialog takes the focus); after a failure the faulty one.
  useLayoutEffect(() => fields.current?.querySelector<HTMLElement>('input, .button-primary')?.focus(), [])
  useEffect(() => fields.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [failures])
  const asksForMail = demand.code === 'email' && !form.isMailed
  return (
    <form
      className="grid gap-5"
      ref={fields}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (asksForMail) void form.sendCode()
        else form.byCode()
      }}
    >
      {faults.form && <Note tone="error">{faults.form}</Note>}
      {demand.password && (
        <PasswordField
          label={proofs.password}
          name="password"
          autoComplete="current-password"
          value={form.password.value}
          error={faults.password}
          onChange={(event) => form.password.set(event.target.value)}
        />
      )}
      {demand.code === 'email' && <MailedCode form={form} />}
      {demand.code === 'totp' && <AppCode form={form} mayRecover={demand.recovery_code} />}
      <div className="form-actions">
        <Button big onClick={onCancel} disabled={busy === 'code'}>
          {proofs.cancel}
        </Button>
        <Button
          look="primary"
          big
          className="grow"
          type="submit"
          disabled={busy === 'mail' && !asksForMail}
          processing={busy === 'code' || (asksForMail && busy === 'mail')}
        >
          {asksForMail ? proofs.sendCode : proofs.confirm}
        </Button>
      </div>
    </form>
  )
}

interface CodeFieldProps {
  form: ProofForm
  label: string
  takesFocus?: boolean
}

function CodeField({ form, label, takesFocus }: CodeFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const { isRecovering } = form
  // As above: whoever types on at once must not type into what had the focus before.
  useLayoutEffect(() => {
    if (takesFocus) field.current?.focus()
  }, [takesFocus])
  return (
    <TextField
      label={label}
      name="code"
      ref={field}
      inputMode={isRecovering ? 'text' : 'numeric'}
      autoComplete={isRecovering ? 'off' : 'one-time-code'}
      autoCapitalize={isRecovering ? 'characters' : 'none'}
      spellCheck={false}
      value={form.code.value}
      error={form.faults.code}
      onChange={(event) => form.code.set(event.target.value)}
    />
  )
}

/** The code of the app, or a recovery code for whoever has lost it. */
function AppCode({ form, mayRecover }: { form: ProofForm; mayRecover: boolean }) {
  const { isRecovering, busy } = form
  const label = isRecovering ? proofs.recoveryCode : proofs.totpCode
  return (
    <div className="grid gap-3">
      <CodeField key={label} form={form} label={label} takesFocus={isRecovering !== undefined} />
      {mayRecover && (
        <Button
          look="ghost"
          className="-ml-3 justify-self-start"
          disabled={busy === 'code'}
          onClick={form.turnToOtherCode}
        >
          {isRecovering ? proofs.useApp : proofs.useRecoveryCode}
        </Button>
      )}
    </div>
  )
}

/** A code that comes by mail only when it is asked for. */
function MailedCode({ form }: { form: ProofForm }) {
  const session = useSession()
  const email = session.status === 'in' ? session.user.email : ''
  if (!form.isMailed) return <p className="small muted">{proofs.codeToMail(email)}</p>
  return (
    <div className="grid gap-3">
      <Note live>{proofs.codeMailed(email)}</Note>
      <CodeField form={form} label={proofs.mailedCode} takesFocus />
      <Button
        look="ghost"
        className="-ml-3 justify-self-start"
        processing={form.busy === 'mail'}
        onClick={() => void form.sendCode()}
      >
        {proofs.sendAnother}
      </Button>
    </div>
  )
}
