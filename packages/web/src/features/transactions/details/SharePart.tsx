import type { Transaction } from '@tern/contract/transactions'
import { copying } from '#messages/copying.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { useCopy } from '../../../ui/feedback/use-copy.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { ShareTracking } from './ShareTracking.tsx'

/** Hands a text to another app. A closed choice of apps is a change of mind. */
async function share(text: string): Promise<void> {
  try {
    await navigator.share({ text })
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) reportError(error)
  }
}

/** Money of one's own to a person or a bank: its progress can be shown to others. */
const mayHaveLink = ({ transaction_type: type }: Transaction): boolean => type === 'SEND' || type === 'WITHDRAW'

/** Ways to show a transaction to others: a link that follows it, and its details as text. */
export function SharePart({ transaction, text }: { transaction: Transaction; text: string }) {
  const copy = useCopy()
  return (
    <div className="mt-4 grid gap-4">
      {mayHaveLink(transaction) && <ShareTracking transaction={transaction} />}
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
