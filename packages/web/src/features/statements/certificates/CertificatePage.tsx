import '../../../css/certificate.css'
import { useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { verifyCertificate } from '@tern/contract/statements'
import { certificatePage as texts } from '#messages/statements/certificates.ts'
import { shell, titles } from '#messages/shell.ts'
import { CodeForm } from '../../../app/linked-code/CodeForm.tsx'
import { findLinkedCode, useLinkedText } from '../../../app/linked-code/linked-code.ts'
import { paths } from '../../../app/paths.ts'
import { buildVisitorQuery, retryUnlessRefused } from '../../../app/session/query.ts'
import { VisitorQueryFrame } from '../../../app/shell/VisitorQueryFrame.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { CertificateSheet } from './CertificateSheet.tsx'

export const meta = () => [
  { title: shell.pageTitle(titles.certificate) },
  { name: 'robots', content: 'noindex' },
  { name: 'referrer', content: 'no-referrer' },
]

/** Shows what the certificate of balance with a code states, for anyone who has the code. */
export default function CertificatePage() {
  return (
    <VisitorQueryFrame>
      <Content />
    </VisitorQueryFrame>
  )
}

const findCode = (text: string): string => findLinkedCode(text, paths.certificate).toUpperCase()

const hasCode = (error: unknown, ...codes: string[]): boolean => error instanceof Refused && codes.includes(error.code)

function Content() {
  const code = findCode(useLinkedText())
  const certificate = useQuery({
    ...buildVisitorQuery(['certificate'], verifyCertificate, { params: { code } }),
    enabled: code !== '',
    retry: retryUnlessRefused(2),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { error } = certificate
  const isUnknown = hasCode(error, 'not_found', 'invalid_request')
  return (
    <div className="certificate-page">
      <h1 className="display-l">{texts.headline}</h1>
      <p className="lead muted mt-3">{texts.intro}</p>
      <CodeForm
        key={code}
        className="certificate-find"
        look="primary"
        page={paths.certificate}
        code={code}
        findCode={findCode}
        texts={texts}
      />
      {code !== '' && (
        <div className="mt-10" aria-busy={certificate.isPending}>
          {certificate.data ? (
            <CertificateSheet certificate={certificate.data} />
          ) : isUnknown ? (
            <UnknownCode />
          ) : error ? (
            <ErrorState
              title={hasCode(error, 'rate_limited') ? texts.busy : texts.failed}
              onRetry={() => void certificate.refetch()}
            />
          ) : (
            <TextSkeleton lines={6} />
          )}
        </div>
      )}
      <p className="small muted mt-8">{texts.never}</p>
    </div>
  )
}

const UnknownCode = () => (
  <Sheet className="p-6">
    <FocusedHeading level="h2" className="display-s">
      {texts.unknownTitle}
    </FocusedHeading>
    <p className="muted mt-2">{texts.unknownText}</p>
  </Sheet>
)
