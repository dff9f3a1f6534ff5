import '../../css/exchange-review.css'
import { useQuery } from '@tanstack/react-query'
import type { Quote } from '@tern/contract/exchange'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense } from 'react'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { prices } from '#messages/prices.ts'
import { saveReceipt } from '../../app/orders/receipt/receipt-file.ts'
import { paths } from '../../app/paths.ts'
import { heldQuery, isWaiting } from '../../app/undo/held-transfer.ts'
import { useAction } from '../../app/use-action.ts'
import { describeQuoteSource } from '../../app/rates/rate-source.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { formatDateTime } from '../../ui/format/format.ts'
import { Chip } from '../../ui/layout/Chip.tsx'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { FocusedHeading } from '../../ui/layout/FocusedHeading.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { ScaleBar } from '../../ui/layout/Sheet.tsx'
import { displayStatus } from '../../ui/money/activity.ts'
import { maxBigPlaces, exactPlaces, formatBig, formatExact } from '../../ui/money/exact-amount.ts'
import { costEntry, rateLine } from './price-lines.tsx'
import { findAvailable } from './swap-form.ts'
import type { Swap } from './use-swap.ts'

const HoldDetails = lazyComponent(() => import('../../app/undo/HoldDetails.tsx'), 'HoldDetails')

interface SwapReceiptProps {
  swap: Swap
  wallet: Wallet
  transaction: Transaction
  quote: Quote
}

/** Exchanged amounts, and the balances afterwards. */
export function SwapReceipt({ swap, wallet, transaction, quote }: SwapReceiptProps) {
  const { source_currency: from, target_currency: to } = quote
  const { data: heldTransfer } = useQuery(heldQuery(transaction))
  const latestTransaction = heldTransfer?.transfer.transaction ?? transaction
  const isDone = latestTransaction.status === 'COMPLETED'
  const isReturned = latestTransaction.status === 'FAILED'
  const isOnHold = heldTransfer !== undefined && isWaiting(heldTransfer)
  const bigAmount = formatBig(quote.target_amount, to)
  return (
    <section className="sheet max-xl:max-w-140" aria-labelledby="swap-receipt">
      <ScaleBar />
      <div className="grid gap-5 py-6 px-[clamp(16px,4vw,24px)]">
        <FocusedHeading className="small muted" id="swap-receipt">
          {isDone ? texts.youGot : isReturned ? texts.notExchanged : texts.youWillGet}
          <span className={`balance balance-small swap-got${bigAmount.length > 14 ? ' text-[28px]' : ''}`}>
            {bigAmount}
          </span>
        </FocusedHeading>
        <p className="row small muted flex-wrap">
          {!isOnHold && <Chip status={displayStatus(latestTransaction)} />}
          <span className="tabular">{formatDateTime(transaction.timestamp)}</span>
        </p>
        {isOnHold && (
          <Suspense>
            <HoldDetails transaction={latestTransaction} />
          </Suspense>
        )}
        <DefinitionList
          small
          entries={[
            {
              term: isDone ? texts.youPaid : isReturned ? texts.backInWallet : texts.toPay,
              value: formatExact(quote.total, quote.fee_currency),
            },
            exactPlaces(quote.target_amount, to) > maxBigPlaces && {
              term: prices.exactly,
              value: formatExact(quote.target_amount, to),
            },
            { term: texts.rate, value: rateLine(quote) },
            { term: texts.source, value: describeQuoteSource(quote).name },
            costEntry(quote),
            ...[from, to].map((currency) => ({
              term: texts.balanceNow(currency),
              value: formatExact(findAvailable(wallet, currency), currency),
            })),
            { term: texts.reference, value: <span translate="no">{deriveReference(transaction.id)}</span> },
          ]}
        />
        <div className="md:[&_.action-bar>.button]:flex-1">
          <div className="flex gap-3 [&>:last-child]:flex-1 *:flex-1 *:py-0 *:px-1.5">
            <SaveReceipt id={transaction.id} />
            <Button onClick={swap.restart}>{texts.anotherExchange}</Button>
          </div>
          <LinkButton look="primary" big wide className="mt-3" to={paths.wallet}>
            {texts.done}
          </LinkButton>
        </div>
      </div>
    </section>
  )
}

function SaveReceipt({ id }: { id: string }) {
  const toast = useToast()
  const pdfAction = useAction({ failed: () => texts.pdfFailed, onFailed: (message) => toast(message, 'warning') })
  const save = () => pdfAction.run(() => saveReceipt(id).then(() => toast(texts.pdfSaved)))
  return (
    <Button processing={pdfAction.isBusy} onClick={save}>
      {texts.pdf}
    </Button>
  )
}
