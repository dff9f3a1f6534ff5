import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { PaymentLink } from '@tern/contract/requests/payment-links'
import type { Transaction } from '@tern/contract/transactions'
import { add, parseDecimal, toDecimal } from '@tern/money/money'
import { receiptPage } from '#messages/receipt/page.ts'
import { pay } from '#messages/transfers/requests.ts'
import { saveReceipt } from '../../../../app/orders/receipt/receipt-file.ts'
import { paths } from '../../../../app/paths.ts'
import { useAction } from '../../../../app/use-action.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { Button, LinkButton } from '../../../../ui/forms/Button.tsx'
import { ExtraIcon } from '../../../../ui/icon/ExtraIcon.tsx'
import { Icon } from '../../../../ui/icon/Icon.tsx'
import { DefinitionList } from '../../../../ui/layout/DefinitionList.tsx'
import { FocusedHeading } from '../../../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../../../ui/layout/Sheet.tsx'
import { Balance } from '../../../../ui/money/Balance.tsx'
import { formatExact } from '../../../../ui/money/exact-amount.ts'
import { shortRequesterName } from '../RequestSummary.tsx'

interface PaidSheetProps {
  payment: Transaction
  link: PaymentLink
}

export function PaidSheet({ payment, link }: PaidSheetProps) {
  const { id, source_amount, source_currency, fee, target_amount, target_currency, payment_source: source } = payment
  const total = add(parseDecimal(source_currency, source_amount), parseDecimal(source_currency, fee))
  const pdfAction = useAction({ failed: () => receiptPage.pdfFailed })
  return (
    <Sheet scaleBar className="pay-sheet">
      <div className="pay-sheet-in">
        <FocusedHeading className="flex gap-3 items-center text-base font-medium [&_.icon]:size-4.5 [&_.icon]:text-sea">
          <Icon name="check" />
          {pay.paidTitle}
        </FocusedHeading>
        <p className="mt-1">
          <Balance amount={toDecimal(total)} currency={source_currency} size="medium" />
        </p>
        <div className="mt-2">
          <DefinitionList
            small
            entries={[
              {
                term: pay.received(shortRequesterName(link)),
                value: formatExact(target_amount, target_currency),
              },
              source !== null && { term: pay.paidWith, value: pay.sources[source] },
              { term: pay.guest.reference, value: <span translate="no">{deriveReference(id)}</span> },
            ]}
          />
        </div>
        <LinkButton look="primary" big wide className="mt-5" to={`${paths.receipt}?id=${id}`}>
          <ExtraIcon name="receipt" />
          {pay.viewReceipt}
        </LinkButton>
        <div className="flex flex-wrap gap-x-3 items-center justify-between min-h-11 my-2 -mx-3 [&_.row]:gap-0">
          <Button look="ghost" processing={pdfAction.isBusy} onClick={() => pdfAction.run(() => saveReceipt(id))}>
            <ExtraIcon name="download" />
            {receiptPage.savePdf}
          </Button>
          <LinkButton look="ghost" to={paths.dashboard}>
            {pay.openDashboard}
          </LinkButton>
        </div>
        {pdfAction.error && <Note tone="error">{pdfAction.error}</Note>}
      </div>
    </Sheet>
  )
}
