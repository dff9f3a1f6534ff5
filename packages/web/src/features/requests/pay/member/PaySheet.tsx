import type { CurrentUser } from '@tern/contract/identity'
import type { PaymentLink } from '@tern/contract/requests/payment-links'
import type { Wallet } from '@tern/contract/wallets'
import { type RefObject, Suspense, useRef, useState } from 'react'
import { pay } from '#messages/transfers/requests.ts'
import { OrderNote } from '../../../../app/orders/OrderNote.tsx'
import { PayeeWarning } from '../../../../app/warnings/PayeeWarning.tsx'
import { ErrorState } from '../../../../ui/feedback/ErrorState.tsx'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../../ui/feedback/Skeleton.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { MoneyField } from '../../../../ui/forms/MoneyField.tsx'
import { formatDate } from '../../../../ui/format/format.ts'
import { ActionBar } from '../../../../ui/layout/ActionBar.tsx'
import { Sheet } from '../../../../ui/layout/Sheet.tsx'
import { lazyComponent } from '../../../../ui/lazy-component.ts'
import { formatExact } from '../../../../ui/money/exact-amount.ts'
import { requesterName, shortRequesterName } from '../RequestSummary.tsx'
import { ReservedTime } from './ReservedTime.tsx'
import { PayWays } from './PayWays.tsx'
import { PriceLines } from '../PriceLines.tsx'
import { type PayModel, type SettledPayment, usePay } from './use-pay.ts'

const AnswerDialog = lazyComponent(() => import('./AnswerDialog.tsx'), 'AnswerDialog')

interface PaySheetProps {
  user: CurrentUser
  data: string
  link: PaymentLink
  wallet: Wallet
  /** The request names the payer, who can also decline it or accept it for later. */
  isAddressed: boolean
  acceptedFor: string | null
  /** Reason for the failure of the external payment that the payer returns from. */
  failure: string | undefined
  onPaid: (settled: SettledPayment) => void
  onChange: () => void
}

/** Full price in the payer's currency, payment method, and order. */
export function PaySheet(props: PaySheetProps) {
  const { user, data, link, wallet, isAddressed, acceptedFor, failure, onPaid, onChange } = props
  const model = usePay({ userId: user.id, data, link, wallet }, { onPaid, onChange })
  const { price, state } = model
  const form = useRef<HTMLDivElement>(null)
  const quote = price.priced?.quote
  return (
    <Sheet scaleBar className="pay-sheet">
      <div className="pay-sheet-in" role="group" aria-label={pay.allIn} ref={form}>
        {quote ? (
          <PriceLines price={quote} link={link} />
        ) : price.error ? (
          <ErrorState title={pay.priceFailed} text={price.error.message} onRetry={price.retry} />
        ) : (
          <TextSkeleton lines={5} />
        )}
        {link.allows_parts && <PartField model={model} link={link} />}
        {quote && <PayWays model={model} quote={quote} wallet={wallet} />}
        <div className="not-empty:grid not-empty:gap-4 not-empty:mt-4">
          {quote && (
            <PayeeWarning
              name={requesterName(link)}
              amount={formatExact(quote.source_amount, quote.source_currency)}
              state={model.warning}
            />
          )}
          {acceptedFor && <Note>{pay.accepted(formatDate(`${acceptedFor}T12:00:00`))}</Note>}
          {failure && state.status === 'idle' && (
            <Note tone="error">
              <b>{pay.failed}</b> {failure}
            </Note>
          )}
          <OrderNote state={state} texts={pay} unknownTitle={pay.failed} />
        </div>
        <PayBar model={model} link={link} form={form} />
        <div className="flex flex-wrap gap-x-3 items-center justify-between min-h-11 my-2 -mx-3 [&_.row]:gap-0">
          {price.priced && <ReservedTime untilMs={price.priced.holdsUntilMs} />}
          {isAddressed && <AnswerButtons data={data} link={link} onChange={onChange} />}
        </div>
        <p className="small muted">{pay.final}</p>
      </div>
    </Sheet>
  )
}

function PartField({ model, link }: { model: PayModel; link: PaymentLink }) {
  const remainingText = formatExact(link.remaining_amount, link.currency)
  return (
    <MoneyField
      className="mt-6"
      label={pay.part}
      optional
      currency={link.currency}
      value={model.part}
      onValueChange={model.setPart}
      error={model.isPartInvalid ? pay.enterPart(remainingText) : undefined}
      hint={pay.partHint(remainingText)}
      disabled={model.state.status === 'unknown' || model.isSending}
    />
  )
}

const sectionByMissing = {
  part: 'input[inputmode]',
  account: '.pay-sheet-in button, input:checked',
} as const

/** Pay button. If input is missing, it moves the focus there instead. */
function PayBar({ model, link, form }: { model: PayModel; link: PaymentLink; form: RefObject<HTMLDivElement | null> }) {
  const { price, state, missingField } = model
  const quote = price.priced?.quote
  const handlePress = () => {
    if (missingField) form.current?.querySelector<HTMLElement>(sectionByMissing[missingField])?.focus()
    else void model.send()
  }
  const receivedText = quote && formatExact(quote.target_amount, quote.target_currency)
  const total = quote && pay.payNow(formatExact(quote.total, quote.fee_currency))
  const label = state.status === 'unknown' ? pay.payAgain : (total ?? pay.gettingPrice)
  const detail = missingField ? pay.missing[missingField] : model.paymentWay && pay.sources[model.paymentWay]
  return (
    <ActionBar
      title={receivedText ? pay.getsAmount(shortRequesterName(link), receivedText) : pay.gettingPrice}
      detail={detail}
      isBusy={!quote}
    >
      <Button look="primary" big wide processing={model.isSending} onClick={handlePress}>
        {label}
      </Button>
    </ActionBar>
  )
}

/** Answers of a named payer other than paying now. */
function AnswerButtons({ data, link, onChange }: Pick<PaySheetProps, 'data' | 'link' | 'onChange'>) {
  const [answer, setAnswer] = useState<'decline' | 'accept'>()
  return (
    <>
      <div className="row">
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
