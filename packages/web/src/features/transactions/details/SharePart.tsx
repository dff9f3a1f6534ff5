import type { Transaction } from '@tern/contract/transactions'
import { copying } from '#messages/copying.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { useCopy } from '../../../ui/feedback/use-copy.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { ShareTracking } from './ShareTracking.tsx'

/** Opens the system's share sheet; closing it is not an error. */
async function share(text: string): Promise<void> {
  try {
    await navigator.share({ text })
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) reportError(error)
  }
}

/** Outgoing transfers and withdrawals can have a tracking link. */
const canHaveLink = ({ transaction_type: type }: Transaction): boolean => type === 'SEND' || type === 'WITHDRAW'

/** Share options of a transaction: a tracking link, and its details as text. */
export function SharePart({ transaction, text }: { transaction: Transaction; text: string }) {
  const copy = useCopy()
  return (
    <div className="mt-4 grid gap-4">
      {canHaveLink(transaction) && <ShareTracking transaction={transaction} />}
      <div className="row flex-wrap">
        <Button icon="copy" onClick={() => copy(text, copying.done)}>
          {texts.copyDetails}
        </Button>
        {typeof navigator.share === 'function' && (
          <Button onClick={() => void share(text)}>{texts.shareDetails}</Button>
        )}
      </div>
    </div>
  )
}
