import type { Transaction } from '@tern/contract/transactions'
import { transfers } from '#messages/transfers.ts'
import { undo as texts } from '#messages/transfers/undo.ts'
import { paths } from '../../../app/paths.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { shortCounterparty } from '../../../ui/money/activity.ts'
import { formatBig } from '../../../ui/money/exact-amount.ts'

interface CanceledTransferProps {
  transaction: Transaction
  /** It could not be delivered after its undo window. */
  isUndeliverable: boolean
  /** Returns to the filled-in form; undefined if this tab no longer has it. */
  onEdit: (() => void) | undefined
  onRestart: () => void
}

/** A send that was undone or could not be delivered: the recipient got nothing. */
export function CanceledTransfer({ transaction, isUndeliverable, onEdit, onRestart }: CanceledTransferProps) {
  const { payment_source: source, amount, currency } = transaction
  const name = shortCounterparty(transaction)
  const all = formatBig(amount, currency)
  const undoneText = source === 'wallet' ? texts.undoneWallet : texts.undoneOutside
  return (
    <div>
      <Sheet scaleBar className="max-w-160">
        <div className="p-6 md:p-8">
          <FocusedHeading level="h1" className="display-m">
            {texts.undoneTitle}
          </FocusedHeading>
          <p className="muted mt-3 wrap-anywhere">
            {isUndeliverable ? texts.undeliverable(all, name) : undoneText(all, name)}
          </p>
        </div>
      </Sheet>
      <div className="form-actions mt-6 flex-wrap">
        {onEdit && (
          <Button look="primary" big onClick={onEdit}>
            {texts.editAgain}
          </Button>
        )}
        <Button big onClick={onRestart}>
          {transfers.another}
        </Button>
        <LinkButton look="ghost" big to={paths.dashboard}>
          {transfers.dashboard}
        </LinkButton>
      </div>
    </div>
  )
}
