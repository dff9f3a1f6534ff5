import '../../../css/log-proof.css'
import { useQuery } from '@tanstack/react-query'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import { longestCode, transactionProof } from '@tern/contract/transparency'
import { proof as texts } from '#messages/receipt/proof.ts'
import { paths } from '../../../app/paths.ts'
import { buildQuery, retryUnlessRefused } from '../../../app/session/query.ts'
import { useUser } from '../../../app/session/session.ts'
import { QrCode } from '../../../ui/codes/QrCode.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { saveFile } from '../../../ui/save-file.ts'

/** Time between two looks for a proof that is not ready, in milliseconds. */
const pause = 10_000

/** Proof that the payment is in the transparency log. Absent if nothing was delivered. */
export function LogProof({ id }: { id: string }) {
  const user = useUser()
  const query = useQuery({
    ...buildQuery(['transactions', user?.id], transactionProof, { params: { id } }),
    enabled: user !== undefined,
    retry: retryUnlessRefused(1),
    refetchInterval: ({ state }) => (state.data?.state === 'not_yet' ? pause : false),
  })
  if (!query.data) return null
  const proof = query.data.proofs.find(({ is_receipt }) => is_receipt)
  if (query.data.state === 'logged' && !proof) return null
  return (
    <section className="log-proof" aria-live="polite">
      {proof && proof.url.length <= longestCode && <QrCode text={proof.url} label={texts.code} level="L" />}
      <div>
        <h2 className="display-s">{texts.title}</h2>
        {proof ? (
          <>
            <p className="small">{texts.states}</p>
            <p className="small">{texts.check}</p>
            <div className="log-proof-actions">
              <LinkButton to={`${paths.verifyReceipt}${new URL(proof.url).hash}`}>{texts.verify}</LinkButton>
              <Button onClick={() => saveFile(new Blob([proof.file]), texts.fileName(deriveReference(id)))}>
                {texts.save}
              </Button>
            </div>
          </>
        ) : (
          <>
            <p className="small">{texts.notYet}</p>
            <div className="log-proof-actions">
              <Button processing={query.isFetching} onClick={() => void query.refetch()}>
                {texts.refresh}
              </Button>
            </div>
          </>
        )}
      </div>
    </section>
  )
}
