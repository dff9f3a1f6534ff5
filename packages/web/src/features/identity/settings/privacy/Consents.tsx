import { agreeToDocument, type Consent } from '@tern/contract/privacy/privacy'
import { privacy } from '#messages/identity/privacy.ts'
import { paths } from '../../../../app/paths.ts'
import { useApiMutation } from '../../../../app/use-api-mutation.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { useToast } from '../../../../ui/feedback/Toast.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { formatDate } from '../../../../ui/format/format.ts'
import { Entry } from '../../../../ui/layout/RuledSection.tsx'
import { describeError } from '../../errors.ts'

const consentPages = { terms: paths.terms, privacy: paths.privacy } as const

/** State of the user's consents: versions of documents, and optional emails, which the notification settings switch. */
export function Consents({ consents, userId }: { consents: readonly Consent[]; userId: number }) {
  const toast = useToast()
  const { send, isBusy, error } = useApiMutation({
    failed: (cause) => describeError(cause, privacy.agreeFailed),
    refetches: [['privacy', userId]],
  })
  const agree = (document: keyof typeof consentPages, version: number) =>
    send(agreeToDocument, { body: { document, version } }, () => toast(privacy.agreed))
  return (
    <div>
      <h2 className="display-s">{privacy.agreedTitle}</h2>
      <p className="small muted mt-2">{privacy.agreedText}</p>
      <div className="mt-6 grid gap-4">
        {error && <Note tone="error">{error}</Note>}
        {consents.map((consent) => {
          const { document, current_version: version } = consent
          const title = privacy.documents[document]
          if (document === 'mail_payments' || document === 'mail_requests' || version === null)
            return <Entry key={document} title={title} text={`${describeState(consent)}. ${privacy.changeElsewhere}`} />
          return (
            <Entry key={document} title={title} text={describeState(consent)}>
              <a className="button button-ghost" href={consentPages[document]} aria-label={privacy.readOf(title)}>
                {privacy.read}
              </a>
              {consent.given?.version !== version && (
                <Button
                  look="ghost"
                  aria-label={privacy.agreeOf(title)}
                  disabled={isBusy}
                  onClick={() => agree(document, version)}
                >
                  {privacy.agree}
                </Button>
              )}
            </Entry>
          )
        })}
      </div>
    </div>
  )
}

function describeState({ given, withdrawn_at: withdrawnAt, current_version: current }: Consent): string {
  if (given === null) return withdrawnAt === null ? privacy.notAgreed : privacy.withdrawn(formatDate(withdrawnAt))
  if (given.at === null) return privacy.onFromStart
  const day = formatDate(given.at)
  if (given.version === null) return privacy.agreedOn(day)
  const acceptedVersion = privacy.version(given.version, day)
  return current !== null && given.version !== current
    ? `${acceptedVersion}. ${privacy.newVersion(current)}`
    : acceptedVersion
}
