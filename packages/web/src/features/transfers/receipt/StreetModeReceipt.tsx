import type { Transfer } from '@tern/contract/transfers'
import { street as texts } from '#messages/transfers/street.ts'
import { paths } from '../../../app/paths.ts'
import { StreetModeHold } from '../../../app/undo/StreetModeHold.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { formatMoney } from '../../../ui/format/format.ts'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { shortCounterparty } from '../../../ui/money/activity.ts'

interface StreetModeReceiptProps {
  transfer: Transfer
  userId: number
  onRestart: () => void
}

export function StreetModeReceipt({ transfer, userId, onRestart }: StreetModeReceiptProps) {
  const { transaction } = transfer
  return (
    <div className="max-w-180">
      <FocusedHeading level="h1" className="display-m">
        {texts.heldTitle}
      </FocusedHeading>
      <Sheet className="mt-8 grid gap-5 p-5 md:p-8">
        <p className="display-m">
          {texts.payment(formatMoney(transaction.amount, transaction.currency), shortCounterparty(transaction))}
        </p>
        <StreetModeHold transfer={transfer} userId={userId} />
      </Sheet>
      <div className="form-actions mt-6 flex-wrap">
        <LinkButton big to={paths.transactions}>
          {texts.toActivity}
        </LinkButton>
        <Button big onClick={onRestart}>
          {texts.another}
        </Button>
      </div>
    </div>
  )
}
