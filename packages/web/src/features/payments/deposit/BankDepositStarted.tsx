import type { BankAccount } from '@tern/contract/banking'
import { useEffect, useRef } from 'react'
import { payments } from '#messages/payments.ts'
import { pathIfPresent } from '../../../app/paths.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { formatExact, formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { dropDraft } from './draft.ts'
import { accountName } from '../methods/method-names.ts'
import type { Gain } from './deposit-order.ts'

/** A bank deposit that was begun and will take its days. */
export interface BegunByBank extends Gain {
  readonly method: 'bank'
  readonly account: BankAccount | undefined
  readonly transactionId: string | null
}

/** The bank has been asked for the money: what comes, from where, and when. */
export function BankDepositBegun({ begun, onAnother }: { begun: BegunByBank; onAnother: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    dropDraft('deposit')
    heading.current?.focus({ preventScroll: true })
  }, [])
  const { charged, gained, account, transactionId } = begun
  const listPath = pathIfPresent('transactions')
  return (
    <div className="mt-8 max-w-140">
      <Sheet scaleBar>
        <div className="p-6 md:p-8">
          <div className="row">
            <h2 className="display-s grow outline-none" tabIndex={-1} ref={heading}>
              {payments.onItsWay}
            </h2>
            <Chip status="PENDING" />
          </div>
          <p className="small muted mt-6">{payments.willGet}</p>
          <p className="balance balance-small">{formatExactWithSign(gained.amount, gained.currency)}</p>
          <div className="mt-6 border-t">
            <DefinitionList
              small
              entries={[
                account && { term: payments.from, value: accountName(account) },
                { term: payments.bankPays, value: formatExact(charged.amount, charged.currency) },
                { term: payments.arrives, value: payments.arrivesIn },
                transactionId !== null && { term: payments.transactionId, value: transactionId },
              ]}
            />
          </div>
          <p className="small muted mt-4">{payments.onItsWayText}</p>
        </div>
      </Sheet>
      <div className="form-actions mt-6 flex-wrap">
        {listPath && (
          <LinkButton look="primary" big to={listPath}>
            {payments.seeTransactions}
          </LinkButton>
        )}
        <Button big onClick={onAnother}>
          {payments.another}
        </Button>
      </div>
    </div>
  )
}
