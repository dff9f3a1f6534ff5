import '../../css/step-up.css'
import type { StepUpRequirement } from '@tern/contract/security'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { stepUp } from '#messages/identity/step-up.ts'
import type { Confirmation } from './step-up.ts'
import { useSession } from '../session/session.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { ExtraIcon } from '../../ui/icon/ExtraIcon.tsx'
import { Dialog } from '../../ui/layout/Dialog.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { PasswordField } from '../../ui/forms/PasswordField.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { UnrecognizedStepUp, type ReportState, reportTitles } from './UnrecognizedStepUp.tsx'
import { describeReason } from './step-up-reason.ts'
import { StepUpSubject, type Subject } from './StepUpSubject.tsx'
import { type StepUpForm, useStepUp } from './use-step-up.ts'

interface StepUpDialogProps {
  requirement: StepUpRequirement
  /** Subject of the previous dialog for the same order, if the order's details have changed since. */
  before?: Subject | undefined
  open: boolean
  onEnd: (answer: Confirmation) => void
}

/** Dialog with the subject of a confirmation and the ways to confirm it. Opened by `withStepUp` of step-up.ts. */
export function StepUpDialog({ requirement, before, open, onEnd }: StepUpDialogProps) {
  const form = useStepUp(requirement, () => onEnd('confirmed'))
  const [reportState, setReportState] = useState<ReportState>()
  const session = useSession()
  const isSignedOut = session.status === 'out' && reportState !== 'done'
  useEffect(() => {
    if (isSignedOut) onEnd('cancelled')
  }, [isSignedOut, onEnd])
  const first = useRef<HTMLDivElement>(null)
  const { action } = requirement
  const cancel = () => onEnd('cancelled')
  return (
    <Dialog
      open={open}
      onClose={cancel}
      title={reportState ? reportTitles[reportState] : (stepUp.titles[action] ?? stepUp.title)}
      size="small"
      initialFocus={() => first.current?.querySelector<HTMLElement>('input, .button-primary')}
    >
      {reportState ? (
        <UnrecognizedStepUp id={requirement.id} state={reportState} onStateChange={setReportState} onEnd={cancel} />
      ) : (
        <>
          <StepUpSubject action={action} subject={requirement.subject} before={before} />
          <p className="small muted mt-4">{describeReason(requirement)}</p>
          <div className="mt-6" ref={first}>
            {form.endReason ? (
              <ExpiredDialog reason={form.endReason} onRetry={() => onEnd('expired')} />
            ) : (
              <ConfirmationMethods requirement={requirement} form={form} onCancel={cancel} />
            )}
          </div>
          <div className="step-up-row border-t mt-4">
            <Button look="ghost" wide iconAfter="next" onClick={() => setReportState('asking')}>
              <ExtraIcon name="flag" />
              {stepUp.notMe}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}

function ExpiredDialog({ reason, onRetry }: { reason: string; onRetry: () => void }) {
  const retryButton = useRef<HTMLButtonElement>(null)
  // A layout effect, since the dialog takes the focus a frame after the focused control was removed.
  useLayoutEffect(() => retryButton.current?.focus(), [])
  return (
    <div className="grid gap-4">
      <Note tone="error">{reason}</Note>
      <Button look="primary" big wide ref={retryButton} onClick={onRetry}>
        {stepUp.startAgain}
      </Button>
    </div>
  )
}

/** Label of the button that offers password or code instead of the passkey; undefined if neither is possible. */
function findAlternative({ password, code }: StepUpRequirement): string | undefined {
  if (code === 'recovery_code') return stepUp.useRecoveryCode
  if (!password && code === null) return undefined
  if (!password) return stepUp.withCode
  return code === null ? stepUp.withPasswordAlone : stepUp.withPassword
}

interface ConfirmationMethodsProps {
  requirement: StepUpRequirement
  form: StepUpForm
  onCancel: () => void
}

function ConfirmationMethods({ requirement, form, onCancel }: ConfirmationMethodsProps) {
  const [usesPasskey, setUsesPasskey] = useState(requirement.passkey)
  if (!usesPasskey) return <CodeForm requirement={requirement} form={form} onCancel={onCancel} />
  const alternative = findAlternative(requirement)
  return (
    <div className="grid gap-3">
      {form.error && <Note tone="error">{form.error}</Note>}
      <Button
        look="primary"
        big
        wide
        processing={form.busyAction === 'passkey'}
        onClick={() => void form.confirmByPasskey()}
      >
        <ExtraIcon name="key" />
        {stepUp.byPasskey}
      </Button>
      {alternative === undefined ? (
        <p className="small muted">{stepUp.passkeyOnly}</p>
      ) : (
        <div className="step-up-row border-t">
          <Button look="ghost" wide icon="lock" iconAfter="next" onClick={() => setUsesPasskey(false)}>
            {alternative}
          </Button>
        </div>
      )}
    </div>
  )
}

function CodeForm({ requirement, form, onCancel }: ConfirmationMethodsProps) {
  const fields = useRef<HTMLFormElement>(null)
  const { failures, busyAction } = form
  // Focuses the first control on opening, before the dialog takes the focus, and the invalid one after a failure.
  useLayoutEffect(() => fields.current?.querySelector<HTMLElement>('input, .button-primary')?.focus(), [])
  useEffect(() => fields.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [failures])
  const needsMail = requirement.code === 'email' && !form.isMailed
  return (
    <form
      className="grid gap-5"
      ref={fields}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (needsMail) void form.sendCode()
        else form.confirmByCode()
      }}
    >
      {form.error && <Note tone="error">{form.error}</Note>}
      {requirement.password && (
        <PasswordField label={stepUp.password} autoComplete="current-password" {...form.field('password')} />
      )}
      {requirement.code === 'email' && <MailCodeField form={form} />}
      {requirement.code === 'recovery_code' && <CodeField form={form} label={stepUp.recoveryCode} />}
      {requirement.code === 'totp' && <AppCodeField form={form} canRecover={requirement.recovery_code} />}
      <div className="form-actions">
        <Button big onClick={onCancel} disabled={busyAction === 'code'}>
          {stepUp.cancel}
        </Button>
        <Button
          look="primary"
          big
          className="grow"
          type="submit"
          disabled={busyAction === 'mail' && !needsMail}
          processing={busyAction === 'code' || (needsMail && busyAction === 'mail')}
        >
          {needsMail ? stepUp.sendCode : stepUp.confirm}
        </Button>
      </div>
    </form>
  )
}

interface CodeFieldProps {
  form: StepUpForm
  label: string
  takesFocus?: boolean
}

function CodeField({ form, label, takesFocus }: CodeFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const { usesRecoveryCode } = form
  const control = form.field('code')
  // Moves the focus at once, so that further input does not go to the previous field.
  useLayoutEffect(() => {
    if (takesFocus) field.current?.focus()
  }, [takesFocus])
  return (
    <TextField
      label={label}
      inputMode={usesRecoveryCode ? 'text' : 'numeric'}
      autoComplete={usesRecoveryCode ? 'off' : 'one-time-code'}
      autoCapitalize={usesRecoveryCode ? 'characters' : 'none'}
      spellCheck={false}
      {...control}
      ref={(element) => {
        control.ref(element)
        field.current = element
      }}
    />
  )
}

/** Code of the authenticator app, or a recovery code if the app is lost. */
function AppCodeField({ form, canRecover }: { form: StepUpForm; canRecover: boolean }) {
  const { usesRecoveryCode, busyAction } = form
  const label = usesRecoveryCode ? stepUp.recoveryCode : stepUp.totpCode
  return (
    <div className="grid gap-3">
      <CodeField key={label} form={form} label={label} takesFocus={usesRecoveryCode !== undefined} />
      {canRecover && (
        <Button
          look="ghost"
          className="-ms-3 justify-self-start"
          disabled={busyAction === 'code'}
          onClick={form.switchCode}
        >
          {usesRecoveryCode ? stepUp.useApp : stepUp.useRecoveryCode}
        </Button>
      )}
    </div>
  )
}

/** Code that is mailed only on request. */
function MailCodeField({ form }: { form: StepUpForm }) {
  const session = useSession()
  const email = session.status === 'in' ? session.user.email : ''
  if (!form.isMailed) return <p className="small muted">{stepUp.codeToMail(email)}</p>
  return (
    <div className="grid gap-3">
      <Note live>{stepUp.codeMailed(email)}</Note>
      <CodeField form={form} label={stepUp.mailedCode} takesFocus />
      <Button
        look="ghost"
        className="-ms-3 justify-self-start"
        processing={form.busyAction === 'mail'}
        onClick={() => void form.sendCode()}
      >
        {stepUp.sendAnother}
      </Button>
    </div>
  )
}
