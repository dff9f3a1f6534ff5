import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import { bridgeCurrency } from '@tern/money/currency'
import type { PriceEvidence, Transaction } from '@tern/contract/transactions'
import { Link } from 'react-router'
import { copying } from '#messages/copying.ts'
import { transaction as words } from '#messages/transaction.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { findStatementAddress } from '../../../app/statement-address.ts'
import { useCopy } from '../../../ui/feedback/use-copy.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatMoney, formatMonth } from '../../../ui/format/format.ts'
import { type Definition, DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { readDirection } from '../../../ui/money/activity.ts'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { PaymentSource } from '../PaymentSource.tsx'
import { CategoryLink, findFigure } from './CategoryLink.tsx'
import { priceEntries } from './price-evidence.ts'

interface TechnicalDetailsProps {
  transaction: Transaction
  price: PriceEvidence | null | undefined
  text: string
}

/** Details for support requests: identifiers, the USDT leg, and the source of the rate. */
export function TechnicalDetails({ transaction, price, text }: TechnicalDetailsProps) {
  const copy = useCopy()
  const {
    id,
    timestamp: at,
    counterparty: person,
    rate,
    source_currency: source,
    target_currency: target,
  } = transaction
  const { stablecoin_amount: stablecoinAmount, payment_source: paymentSource, transaction_type: type } = transaction
  const figure = findFigure(transaction)
  const entries: (Definition | false)[] = [
    { term: texts.reference, value: deriveReference(id) },
    { term: texts.id, value: id },
    {
      term: texts.type,
      value:
        paymentSource === null || paymentSource === 'wallet' ? (
          (words.types[type] ?? words.otherType)
        ) : (
          <PaymentSource source={paymentSource} />
        ),
    },
    person !== null && {
      term: readDirection(transaction) === 'in' ? texts.from : texts.to,
      value: person.name ? `${person.name}, ${person.username}` : person.username,
    },
    stablecoinAmount !== null &&
      source !== target && {
        term: texts.usdtStep,
        value: formatMoney(stablecoinAmount, bridgeCurrency, { places: 6 }),
      },
    rate !== null && source !== target && { term: texts.rate, value: formatRateLine(rate, source, target) },
    ...priceEntries(transaction, price),
    price !== null &&
      price !== undefined &&
      transaction.status === 'COMPLETED' && {
        term: texts.priceCheck,
        value: <Link to={new URL(price.proof_url).pathname}>{texts.recompute}</Link>,
      },
    figure !== undefined && {
      term: texts.category,
      value: <CategoryLink transaction={transaction} figure={figure} />,
    },
    { term: texts.statement, value: <Link to={findStatementAddress(transaction)}>{formatMonth(at)}</Link> },
  ]
  return (
    <>
      <DefinitionList small entries={entries} />
      <div className="row mt-2 flex-wrap">
        <Button icon="copy" onClick={() => copy(id, texts.idCopied)}>
          {texts.copyId}
        </Button>
        <Button icon="copy" onClick={() => copy(text, copying.done)}>
          {texts.copyDetails}
        </Button>
      </div>
    </>
  )
}
