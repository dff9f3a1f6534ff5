import { type ReactNode, Suspense, useCallback, useEffect, useId, useRef, useState } from 'react'
import { kyc } from '#messages/identity/kyc.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { formatDateTime } from '../../ui/format/format.ts'
import { ActionBar } from '../../ui/layout/ActionBar.tsx'
import { Steps } from '../../ui/layout/Steps.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { ErrorSummary } from './fields/ErrorSummary.tsx'
import { isFormField } from './form-fields.ts'
import { lastStep, useVerification, type VerificationProps } from './use-verification.ts'
import { AddressFields, DocumentFields, PersonFields, useFormField } from './VerificationFields.tsx'

const DocumentUploads = lazyComponent(() => import('../../app/documents/DocumentUploads.tsx'), 'DocumentUploads')

/**
 * Three-step identity form. Errors are shown at the fields and in a summary that takes the focus. Entries are kept in
 * this tab, except ID and document numbers.
 */
export function VerificationForm({ backLink, ...props }: VerificationProps & { backLink: ReactNode }) {
  const { form, step, draft, ...actions } = useVerification(props)
  const field = useFormField(form)
  const { isSubmitting, errors } = form.formState
  const isLast = step === lastStep
  const [uploads, setUploads] = useState(0)
  const [isWaiting, setIsWaiting] = useState(false)
  const onBusy = useCallback((isBusy: boolean) => setUploads((count) => count + (isBusy ? 1 : -1)), [])
  return (
    <form
      className="mt-6"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setIsWaiting(uploads > 0)
        if (uploads === 0) void actions.submit()
      }}
    >
      <Steps steps={kyc.steps} current={step} />
      {draft && <DraftNote savedAt={draft.savedAt} onStartOver={actions.startOver} />}
      {actions.hasSummary && (
        <ErrorSummary
          errors={actions.errors}
          attempts={actions.attempts}
          onSeek={(name) => isFormField(name) && actions.goToField(name)}
        />
      )}
      <Section title={kyc.personal} text={kyc.latinHint} isShown={step === 0}>
        <PersonFields form={form} field={field} />
      </Section>
      <Section title={kyc.address} isShown={step === 1}>
        <AddressFields form={form} field={field} />
      </Section>
      <Section title={kyc.document} text={kyc.documentHint} isShown={isLast}>
        <DocumentFields form={form} field={field} />
        {isLast && props.userId !== undefined && (
          <div className="sm:col-span-2">
            <Suspense>
              <DocumentUploads userId={props.userId} documentType={form.watch('documentType')} onBusy={onBusy} />
            </Suspense>
          </div>
        )}
      </Section>
      <div className="mt-8 empty:hidden">
        {isWaiting && uploads > 0 && <Note live>{kyc.waitForUpload}</Note>}
        {errors.root && <Note tone="error">{errors.root.message}</Note>}
      </div>
      <div className="register-actions flex flex-wrap gap-3 mt-8">
        {step === 0 ? (
          backLink
        ) : (
          <Button big onClick={actions.goBack} disabled={isSubmitting}>
            {kyc.back}
          </Button>
        )}
        <ActionBar title={kyc.stepOf(step + 1, lastStep + 1)} detail={kyc.actionDetails[step]}>
          <Button look="primary" big type="submit" aria-disabled={isSubmitting || undefined}>
            {isLast ? (isSubmitting ? kyc.submitting : kyc.submit) : kyc.next}
          </Button>
        </ActionBar>
      </div>
    </form>
  )
}

function DraftNote({ savedAt, onStartOver }: { savedAt: string; onStartOver: () => void }) {
  return (
    <div className="mt-6">
      <Note>
        {kyc.draftKept(formatDateTime(savedAt))}
        <Button look="ghost" className="-mb-2 -ms-3 block" onClick={onStartOver}>
          {kyc.startOver}
        </Button>
      </Note>
    </div>
  )
}

interface SectionProps {
  title: string
  text?: string
  isShown: boolean
  children: ReactNode
}

/** One step. Its heading takes the focus on entry, unless a field does. */
function Section({ title, text, isShown, children }: SectionProps) {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const wasShown = useRef(isShown)
  useEffect(() => {
    if (isShown && !wasShown.current) {
      heading.current?.focus({ preventScroll: true })
      scrollTo({ top: 0 })
    }
    wasShown.current = isShown
  }, [isShown])
  return (
    <section className="mt-8" aria-labelledby={id} hidden={!isShown}>
      <h2 className="display-s outline-none" id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {text && <p className="small muted mt-1">{text}</p>}
      <div className="verification-fields mt-4 grid items-start gap-x-4 gap-y-5 sm:grid-cols-2">{children}</div>
    </section>
  )
}
