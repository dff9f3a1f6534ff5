import '../../../css/certificate.css'
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { verifyCertificate } from '@tern/contract/statements'
import { type FormEvent, useEffect, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { certificatePage as texts } from '#messages/statements/certificates.ts'
import { shell, titles } from '#messages/shell.ts'
import { trimLinkValue } from '../../../app/browser/link-text.ts'
import { paths } from '../../../app/paths.ts'
import { buildVisitorQuery, retryUnlessRefused } from '../../../app/session/query.ts'
import { VisitorFrame } from '../../../app/shell/VisitorFrame.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { CertificateSheet } from './CertificateSheet.tsx'

export const meta = () => [
  { title: shell.pageTitle(titles.certificate) },
  { name: 'robots', content: 'noindex' },
  { name: 'referrer', content: 'no-referrer' },
]

const newQueryClient = () => new QueryClient({ defaultOptions: { queries: { retry: 1 } } })

/** Shows what the certificate of balance with a code states, for anyone who has the code. */
export default function CertificatePage() {
  const [queryClient] = useState(newQueryClient)
  return (
    <QueryClientProvider client={queryClient}>
      <VisitorFrame>
        <Content />
      </VisitorFrame>
    </QueryClientProvider>
  )
}

/** Code in pasted text: a full link or its end, with or without surrounding punctuation. */
const findCode = (text: string): string =>
  trimLinkValue(
    trimLinkValue(text)
      .replace(/^.*\/certificate\//, '')
      .replace(/[/?#].*$/, ''),
  ).toUpperCase()

const hasCode = (error: unknown, ...codes: string[]): boolean => error instanceof Refused && codes.includes(error.code)

function Content() {
  const { code: linkedCode = '' } = useParams()
  // One prerendered page serves every code, so the code is unknown before the page is mounted.
  const [hasMounted, setHasMounted] = useState(false)
  useEffect(() => setHasMounted(true), [])
  const code = hasMounted ? findCode(linkedCode) : ''
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
      <CodeForm key={code} code={code} />
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

function CodeForm({ code }: { code: string }) {
  const navigate = useNavigate()
  const [typedCode, setTypedCode] = useState<string>()
  const [error, setError] = useState<string>()
  const verify = (event: FormEvent) => {
    event.preventDefault()
    const requestedCode = findCode(typedCode ?? code)
    setError(requestedCode === '' ? texts.codeMissing : undefined)
    if (requestedCode !== '') void navigate(`${paths.certificate}/${encodeURIComponent(requestedCode)}`)
  }
  return (
    <form className="certificate-find" noValidate onSubmit={verify}>
      <TextField
        label={texts.label}
        hint={texts.hint}
        error={error}
        placeholder={texts.example}
        value={typedCode ?? code}
        onChange={({ target }) => setTypedCode(target.value)}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={200}
      />
      <Button look="primary" type="submit">
        {texts.button}
      </Button>
    </form>
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
