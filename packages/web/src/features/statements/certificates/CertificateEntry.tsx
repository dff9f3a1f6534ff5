import { type Certificate, certificateFile, deleteCertificate } from '@tern/contract/statements'
import { Suspense, useState } from 'react'
import { certificates as texts } from '#messages/statements/certificates.ts'
import { paths } from '../../../app/paths.ts'
import { useAction } from '../../../app/use-action.ts'
import { useApiMutation } from '../../../app/use-api-mutation.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { useCopy } from '../../../ui/feedback/use-copy.ts'
import { formatDateWithYear } from '../../../ui/format/date-with-year.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { downloadFile } from '../download-file.ts'
import { defaultPaper } from '../paper.ts'
import { certificatesQuery } from '../statement-queries.ts'

const ConfirmDialog = lazyComponent(() => import('../../../ui/layout/ConfirmDialog.tsx'), 'ConfirmDialog')

/** Address at which anyone can verify the certificate. */
const linkOf = (code: string): string => `${location.origin}${paths.certificate}/${code}`

/** One of the person's certificates: its balances and code, and what can be done with it. */
export function CertificateEntry({ certificate, userId }: { certificate: Certificate; userId: number }) {
  const { code, date, balances } = certificate
  const toast = useToast()
  const copy = useCopy()
  const [isDeleting, setIsDeleting] = useState(false)
  const pdf = useAction({ failed: texts.pdfFailed })
  const deletion = useApiMutation({ failed: texts.failed, refetches: [certificatesQuery(userId).queryKey] })
  const day = formatDateWithYear(`${date}T00:00Z`, 'UTC')
  const savePdf = () =>
    pdf.run(() =>
      downloadFile({
        endpoint: certificateFile,
        input: { params: { code }, query: { paper: defaultPaper() } },
        fallbackName: texts.fileName(date),
      }),
    )
  const error = pdf.error ?? deletion.error
  return (
    <li className="certificate-entry">
      <p className="grid gap-0.5">
        <b className="font-medium">{texts.name(day)}</b>
        <span className="small muted tabular" translate="no">
          {balances.map(({ currency, available }) => formatExact(available, currency)).join(', ')}
        </span>
        <span className="certificate-code" translate="no">
          <span className="visually-hidden">{texts.code} </span>
          {code}
        </span>
      </p>
      <div className="certificate-actions">
        <Button
          look="ghost"
          icon="copy"
          aria-label={texts.copyLinkOf(day)}
          onClick={() => copy(linkOf(code), texts.linkCopied)}
        >
          {texts.copyLink}
        </Button>
        <Button look="ghost" icon="deposit" aria-label={texts.pdfOf(day)} processing={pdf.isBusy} onClick={savePdf}>
          {texts.pdf}
        </Button>
        <Button
          look="ghost"
          aria-label={texts.deleteOf(day)}
          processing={deletion.isBusy}
          onClick={() => setIsDeleting(true)}
        >
          {texts.delete}
        </Button>
      </div>
      {error && <Note tone="error">{error}</Note>}
      {isDeleting && (
        <Suspense>
          <ConfirmDialog
            title={texts.deleteTitle}
            text={texts.deleteText}
            action={texts.delete}
            cancel={texts.keep}
            onClose={() => setIsDeleting(false)}
            onConfirm={() => {
              setIsDeleting(false)
              deletion.send(deleteCertificate, { params: { code } }, () => toast(texts.deleted))
            }}
          />
        </Suspense>
      )}
    </li>
  )
}
