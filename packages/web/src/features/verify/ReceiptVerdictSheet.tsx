import type { ReceiptVerdict, ValidReceipt } from '@tern/transparency/verify-receipt'
import { verifying as texts } from '#messages/site/verify.ts'
import { formatCount } from '../../ui/format/format-count.ts'
import { formatDateTime } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { FocusedHeading } from '../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import type { Signer } from './find-signer.ts'
import { ReceiptFacts } from './ReceiptFacts.tsx'

type Invalid = Exclude<ReceiptVerdict, ValidReceipt>

interface VerdictProps {
  verdict: ReceiptVerdict
  /** Signer of a proof without the signature of a trusted key. */
  signer?: Signer | undefined
  /** Time at which this browser last loaded the keys, ISO 8601. */
  loadedAt: string | undefined
}

/** Verdict on a proof, with the facts that a valid one states, or the reason why it is refused. */
export function ReceiptVerdictSheet({ verdict, signer, loadedAt }: VerdictProps) {
  if (verdict.state === 'valid') return <ValidSheet verdict={verdict} loadedAt={loadedAt} />
  const isUnknown = verdict.reason === 'unknown_log' || (signer !== undefined && signer.state !== 'forged')
  return (
    <Sheet scaleBar className={isUnknown ? 'verify-unchecked' : 'verify-invalid'}>
      <div className="p-6">
        <FocusedHeading level="h2" className="display-m verify-title">
          {isUnknown ? texts.unchecked : texts.invalid} <Icon name={isUnknown ? 'info' : 'cross'} />
        </FocusedHeading>
        <p className="mt-2">{signer ? describeSigner(signer, loadedAt) : describeReason(verdict)}</p>
      </div>
    </Sheet>
  )
}

const describeReason = (verdict: Invalid): string =>
  verdict.reason === 'witness_signature'
    ? texts.reasons.witness_signature(verdict.witness)
    : texts.reasons[verdict.reason]

/** Describes who signed; a key that this browser lacks may be newer than its last visit to the server. */
function describeSigner(signer: Signer, loadedAt: string | undefined): string {
  if (signer.state === 'forged') return texts.reasons.log_signature
  if (signer.state === 'replaced') return texts.replacedKey(formatDateTime(new Date(signer.until)))
  return loadedAt === undefined
    ? texts.otherKey
    : `${texts.otherKey} ${texts.keysFrom(formatDateTime(new Date(loadedAt)))}`
}

function ValidSheet({ verdict, loadedAt }: { verdict: ValidReceipt; loadedAt: string | undefined }) {
  const { facts, origin, index, size, witnesses } = verdict
  const loaded = loadedAt === undefined ? undefined : new Date(loadedAt)
  return (
    <Sheet scaleBar>
      <div className="p-6">
        <FocusedHeading level="h2" className="display-m verify-title">
          {texts.valid} <Icon name="check" />
        </FocusedHeading>
        <p className="muted mt-2">{texts.validText}</p>
        <ReceiptFacts facts={facts} />
        <h3 className="text-small font-medium mt-6">{texts.checks}</h3>
        <ul className="verify-checks mt-1">
          <Check>{texts.checked.signature(origin)}</Check>
          <Check>{texts.checked.inclusion(formatCount(index + 1), formatCount(size))}</Check>
          {witnesses.map(({ name, time }) => (
            <Check key={name}>{texts.checked.witness(name, formatDateTime(new Date(time * 1000)))}</Check>
          ))}
          {witnesses.length === 0 && <Remark>{texts.checked.noWitness}</Remark>}
          {loaded && facts.time > BigInt(loaded.getTime()) * 1000n && (
            <Remark>{texts.checked.newerThanKeys(formatDateTime(loaded))}</Remark>
          )}
        </ul>
      </div>
    </Sheet>
  )
}

const Check = ({ children }: { children: string }) => (
  <li>
    <Icon name="check" /> <span>{children}</span>
  </li>
)

const Remark = ({ children }: { children: string }) => (
  <li className="muted">
    <Icon name="info" /> <span>{children}</span>
  </li>
)
