import type { CurrentUser } from '@tern/contract/identity'
import type { PaymentLink } from '@tern/contract/requests/payment-links'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense, useState } from 'react'
import { pay } from '#messages/transfers/requests.ts'
import { OrderNote } from '../../../app/orders/OrderNote.tsx'
import { paths } from '../../../app/paths.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { MoneyField } from '../../../ui/forms/MoneyField.tsx'
import { formatTime, formatDate } from '../../../ui/format/format.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { requesterName } from './Asked.tsx'
import { PriceLines } from './PriceLines.tsx'
import { type PayModel, usePay } from './use-pay.ts'

const AnswerDialog = lazyComponent(() => import('./AnswerDialog.tsx'), 'AnswerDialog')

interface PaySheetProps {
  user: CurrentUser
  data: string
  link: PaymentLink
  wallet: Wallet
  recipientId: number | null
  /** The request is to the person themselves, who can answer it otherwise. */
  isAddressed: boolean
  acceptedFor: string | null
  onPaid: (payment: Transaction) => void
  onChange: () => void
}

/** The whole price in the payer's own currency, and paying it from the wallet. */
export function PaySheet(props: PaySheetProps) {
  const { user, data, link, wallet, isAddressed, acceptedFor, onPaid, onChange } = props
  const model = usePay({ userId: user.id, data, link, wallet }, { onPaid, onChange })
  const { price, state } = model
  const quote = price.priced?.quote
  const balance = formatExactWithSign(wallet.fiat_balance, wallet.base_currency)
  return (
    <Sheet scaleBar className="pay-sheet">
      <div className="p-6" role="group" aria-label={pay.allIn}>
        {quote ? (
          <PriceLines price={quote} link={link} />
        ) : price.error ? (
          <ErrorState title={pay.priceFailed} text={price.error.message} onRetry={price.retry} />
        ) : (
          <TextSkeleton lines={5} />
        )}
        {link.allows_parts && <PartField model={model} link={link} />}
        <div className="pay-from">
          <span className="row">
            <Icon name="wallet" />
            {pay.fromWallet}
          </span>
          <span className="small muted tabular">{pay.balance(balance)}</span>
        </div>
        <div className="grid gap-4">
          {acceptedFor && <Note>{pay.accepted(formatDate(`${acceptedFor}T12:00:00`))}</Note>}
          {model.isBeyond && <Note tone="warning">{pay.notEnough(balance)}</Note>}
          <OrderNote state={state} texts={pay} unknownTitle={pay.failed} />
        </div>
        <div className="pay-action">
          <PayButton model={model} />
        </div>
        {price.priced && (
          <p className="small muted tabular mt-3">{pay.holdsUntil(formatTime(new Date(price.priced.holdsUntilMs)))}</p>
        )}
        {isAddressed && <Answers data={data} link={link} onChange={onChange} />}
        <p className="small muted mt-3">{pay.final}</p>
      </div>
    </Sheet>
  )
}

function PartField({ model, link }: { model: PayModel; link: PaymentLink }) {
  const left = formatExactWithSign(link.remaining_amount, link.currency)
  return (
    <MoneyField
      className="mt-6"
      label={pay.part}
      optional
      currency={link.currency}
      value={model.part}
      onValueChange={model.setPart}
      error={model.isPartWrong ? pay.enterPart(left) : undefined}
      hint={pay.partHint(left)}
      disabled={model.state.status === 'unknown' || model.isSending}
    />
  )
}

function PayButton({ model }: { model: PayModel }) {
  const { price, state } = model
  const quote = price.priced?.quote
  if (model.isBeyond) {
    return (
      <LinkButton look="primary" big wide icon="deposit" to={paths.deposit}>
        {pay.addMoney}
      </LinkButton>
    )
  }
  const isAgain = state.status === 'unknown'
  const total = quote && pay.payNow(formatExactWithSign(quote.total, quote.fee_currency))
  return (
    <Button
      look="primary"
      big
      wide
      processing={model.isSending}
      aria-disabled={(!quote && !isAgain) || undefined}
      onClick={model.send}
    >
      {isAgain ? pay.payAgain : (total ?? pay.gettingPrice)}
    </Button>
  )
}

/** What somebody can answer who was asked by name, other than paying now. */
function Answers({ data, link, onChange }: Pick<PaySheetProps, 'data' | 'link' | 'onChange'>) {
  const [answer, setAnswer] = useState<'decline' | 'accept'>()
  return (
    <>
      <div className="row mt-2 -ms-3 flex-wrap">
        <Button look="ghost" onClick={() => setAnswer('accept')}>
          {pay.accept}
        </Button>
        <Button look="ghost" onClick={() => setAnswer('decline')}>
          {pay.decline}
        </Button>
      </div>
      {answer && (
        <Suspense>
          <AnswerDialog
            kind={answer}
            data={data}
            name={requesterName(link)}
            lastDay={link.expires_at.slice(0, 10)}
            onClose={() => setAnswer(undefined)}
            onAnswered={() => {
              setAnswer(undefined)
              onChange()
            }}
          />
        </Suspense>
      )}
    </>
  )
}
