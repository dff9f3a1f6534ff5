import '../../css/recompute.css'
import { useQuery } from '@tanstack/react-query'
import { verifyPrice } from '@tern/contract/prices/verify-price'
import { priceProof } from '@tern/contract/prices/proof'
import { recompute } from '@tern/contract/prices/recompute'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { recomputing as texts } from '#messages/site/recompute.ts'
import { shell, titles } from '#messages/shell.ts'
import { CodeForm } from '../../app/linked-code/CodeForm.tsx'
import { findLinkedCode, useLinkedText } from '../../app/linked-code/linked-code.ts'
import { paths } from '../../app/paths.ts'
import { retryUnlessRefused } from '../../app/session/query.ts'
import { callApi, callAsVisitor, recallSession, hasCachedUser, useUser } from '../../app/session/session.ts'
import { VisitorQueryFrame } from '../../app/shell/VisitorQueryFrame.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { FocusedHeading } from '../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import { PriceSteps } from './PriceSteps.tsx'
import { VerdictSheet } from './VerdictSheet.tsx'

export const meta = () => [
  { title: shell.pageTitle(titles.recompute) },
  { name: 'description', content: texts.intro },
  { name: 'referrer', content: 'no-referrer' },
]

/** Recomputes the price of one receipt in the visitor's browser. */
export default function Recompute() {
  return (
    <VisitorQueryFrame>
      <Content />
    </VisitorQueryFrame>
  )
}

const isCode = (text: string): boolean => /^[\w-]{43}$/.test(text)
const findReference = (text: string): string => findLinkedCode(text, paths.recompute)

/** Loads the proof of a price. A code is public; a reference is readable only by its payer. */
async function readProof(reference: string, signal: AbortSignal): Promise<Reply<typeof priceProof>> {
  const input = { params: { reference } }
  if (isCode(reference) || !hasCachedUser()) return callAsVisitor(priceProof, input, signal)
  await recallSession()
  return callApi(priceProof, input, signal)
}

const isNotFound = (error: unknown): boolean =>
  error instanceof Refused && ['not_found', 'invalid_request', 'unauthenticated'].includes(error.code)

function Content() {
  const reference = findReference(useLinkedText())
  const proof = useQuery({
    queryKey: ['price proof', reference],
    queryFn: ({ signal }) => readProof(reference, signal),
    enabled: reference !== '',
    staleTime: Infinity,
    retry: retryUnlessRefused(2),
  })
  return (
    <div className="max-w-360 mx-auto pt-12 px-16 pb-24 max-xl:px-10 max-md:pt-8 max-md:px-4 max-md:pb-16">
      <ReferenceForm key={reference} reference={proof.data?.facts.reference ?? (isCode(reference) ? '' : reference)} />
      {reference !== '' && proof.isPending && (
        <div
          className="grid grid-cols-[minmax(0,1fr)_400px] gap-16 items-start pt-12 max-[1100px]:grid-cols-1 max-md:gap-8 max-md:pt-8"
          aria-busy="true"
        >
          <TextSkeleton lines={8} />
        </div>
      )}
      {proof.isError &&
        (isNotFound(proof.error) ? <UnknownReceipt /> : <LoadError onRetry={() => void proof.refetch()} />)}
      {proof.data && <Proof {...proof.data} />}
    </div>
  )
}

function ReferenceForm({ reference }: { reference: string }) {
  return (
    <div className="[&_.lead]:max-w-[54ch] [&_.lead]:mt-3">
      <h1 className="display-l">{texts.headline}</h1>
      <p className="lead">{texts.intro}</p>
      <CodeForm
        className="recompute-find flex gap-3 items-start max-w-155 mt-6 max-md:flex-wrap"
        page={paths.recompute}
        code={reference}
        findCode={findReference}
        texts={texts}
      />
    </div>
  )
}

function Proof({ facts }: Reply<typeof priceProof>) {
  // The server's verdict is not trusted: the facts are recomputed here.
  const price = recompute(facts)
  const verdict = verifyPrice(facts, price)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_400px] gap-16 items-start pt-12 max-[1100px]:grid-cols-1 max-md:gap-8 max-md:pt-8">
      {price ? <PriceSteps {...{ facts, price, verdict }} /> : <div />}
      <VerdictSheet {...{ facts, price, verdict }} />
    </div>
  )
}

function UnknownReceipt() {
  const user = useUser()
  return (
    <Sheet className="max-w-155 mt-12 verdict-body max-[1100px]:-order-1">
      <FocusedHeading level="h2" className="display-m">
        {texts.unknownTitle}
      </FocusedHeading>
      <p className="muted mt-2">{texts.unknownText}</p>
      {!user && (
        <p className="mt-4">
          <LinkButton to={`${paths.login}?from=${encodeURIComponent(location.pathname)}`}>{texts.logIn}</LinkButton>
        </p>
      )}
    </Sheet>
  )
}

const LoadError = ({ onRetry }: { onRetry: () => void }) => (
  <div className="grid grid-cols-[minmax(0,1fr)_400px] gap-16 items-start pt-12 max-[1100px]:grid-cols-1 max-md:gap-8 max-md:pt-8">
    <ErrorState title={texts.failed} onRetry={onRetry} />
  </div>
)
