import type { Transaction } from '@tern/contract/transactions'
import { Suspense, useState } from 'react'
import { Link } from 'react-router'
import { receiptPage } from '#messages/receipt/page.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { sendAgainState } from '../../../app/orders/receipt/SendAgain.tsx'
import { paths } from '../../../app/paths.ts'
import { ExtraIcon } from '../../../ui/icon/ExtraIcon.tsx'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import type { ExternalOrder } from './external-order.ts'

const SharePart = lazyComponent(() => import('./SharePart.tsx'), 'SharePart')

interface DetailActionsProps {
  transaction: Transaction
  externalOrder: ExternalOrder | null | undefined
  text: string
}

/** A failed send whose external payment was captured: the money is in the sender's wallet. */
const hasFailedAfterCapture = (
  { transaction_type: type, status }: Transaction,
  externalOrder: ExternalOrder | null | undefined,
): boolean => type === 'SEND' && status === 'FAILED' && externalOrder?.kind === 'payment' && externalOrder.captured

export function DetailActions({ transaction, externalOrder, text }: DetailActionsProps) {
  const [isSharing, setIsSharing] = useState(false)
  const { id, transaction_type: type, status } = transaction
  const repeatState = sendAgainState(transaction)
  return (
    <>
      <div className="detail-actions grid grid-flow-col auto-cols-fr mt-2 border-y [&~.disclosure]:border-y-0">
        <Link to={`${paths.receipt}?id=${id}`}>
          <ExtraIcon name="receipt" />
          {receiptPage.open}
        </Link>
        {repeatState && (
          <Link to={paths.send} state={{ again: repeatState }}>
            <ExtraIcon name="repeat" />
            {hasFailedAfterCapture(transaction, externalOrder) ? texts.sendAtNewPrice : texts.sendAgain}
          </Link>
        )}
        {type === 'EXCHANGE' && status === 'PENDING' && (
          <Link to={paths.orders}>
            <Icon name="list" />
            {texts.seeOrders}
          </Link>
        )}
        <button type="button" aria-expanded={isSharing} onClick={() => setIsSharing(!isSharing)}>
          <ExtraIcon name="share" />
          {texts.share}
        </button>
        {type !== 'RECEIVE' && (
          <Link to={`${paths.disputes}?transaction=${id}`}>
            <ExtraIcon name="question" />
            {texts.somethingWrong}
          </Link>
        )}
      </div>
      {isSharing && (
        <Suspense>
          <SharePart transaction={transaction} text={text} />
        </Suspense>
      )}
    </>
  )
}
