import type { Order } from '@tern/contract/orders/orders'
import type { Wallet } from '@tern/contract/wallets'
import { toDecimal } from '@tern/money/money'
import { orders as texts } from '#messages/exchange/orders.ts'
import { Form } from '../../app/forms/Form.tsx'
import { OrderNote } from '../../app/orders/OrderNote.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { Segmented } from '../../ui/forms/Segmented.tsx'
import { ActionBar } from '../../ui/layout/ActionBar.tsx'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatPercent } from '../../ui/money/percent.ts'
import { AmountField, ExpiryField, RateFields } from './OrderFields.tsx'
import { kinds, orderFee } from './order-form.ts'
import { describeOutcome, formatHold } from './order-text.ts'
import type { OrderFormModel } from './use-order-form.ts'

interface SheetProps {
  form: OrderFormModel
  wallet: Wallet
  selectedOrder: Order | undefined
  onLeave: () => void
}

/** Form for a new order or alert, or for changing one. */
export function OrderSheet({ form, wallet, selectedOrder, onLeave }: SheetProps) {
  const { values, subject, state, isLocked, endedState } = form
  const { kind } = values
  const isUnanswered = state.status === 'unknown'
  return (
    <Form
      className="sheet order-sheet"
      aria-label={subject.is === 'new' ? texts.sheet : texts.editSheet[kind]}
      submitCount={form.attempts}
      onSubmit={form.submit}
    >
      <div className="scale-bar" aria-hidden="true" />
      <div className="order-body grid gap-5 p-6 max-md:py-5 max-md:px-4">
        <KindChoice form={form} onLeave={onLeave} />
        {selectedOrder?.filled && <FilledOrder order={selectedOrder} wallet={wallet} />}
        {form.isPaused && kind !== 'alert' && (
          <Note tone="warning" live>
            <b>{texts.pausedTitle}</b> {texts.pausedText}
          </Note>
        )}
        <fieldset className="grid gap-5" disabled={isLocked}>
          <AmountField form={form} wallet={wallet} />
          <RateFields form={form} />
          {kind !== 'alert' && <ExpiryField form={form} />}
        </fieldset>
        {kind !== 'alert' && <OrderSums form={form} />}
        <p className="small muted">
          {kind === 'alert' ? texts.alertTerms : kind === 'stop' ? texts.stopTerms : texts.limitTerms}
        </p>
        <OrderNote state={state} texts={texts} />
        {endedState.error && <Note tone="error">{endedState.error}</Note>}
        <ActionBar {...barLines(form)}>
          {subject.is !== 'new' && (
            <Button big processing={endedState.isBusy} onClick={form.end}>
              {subject.is === 'alert' ? texts.removeAlert : texts.cancelOrder}
            </Button>
          )}
          <Button look="primary" big type="submit" processing={state.status === 'sending'}>
            {isUnanswered ? texts.tryAgain : subject.is === 'new' ? texts.place[kind] : texts.save}
          </Button>
        </ActionBar>
      </div>
    </Form>
  )
}

/** Lines of the action bar: minimum received and amount on hold, or the missing input. */
function barLines({ values: { kind, from, to }, sums }: OrderFormModel): { title: string; detail?: string } {
  const { rate, minimum, onHold } = sums
  if (rate === undefined) return { title: texts.bar.rate }
  if (kind === 'alert') return { title: texts.bar.alert, detail: texts.bar.alertDetail }
  if (!minimum || !onHold) return { title: texts.bar.amount }
  return {
    title: texts.bar.least(formatExact(toDecimal(minimum), to)),
    detail: texts.bar.held(formatExact(toDecimal(onHold), from)),
  }
}

/** Kind of the order. Fixed while an existing one is changed. */
function KindChoice({ form, onLeave }: { form: OrderFormModel; onLeave: () => void }) {
  const { subject, values, isLocked, isDraftChanged } = form
  if (subject.is === 'new') {
    return (
      <Segmented
        label={texts.kind}
        choices={kinds.map((value) => ({ value, label: texts.kinds[value] }))}
        value={values.kind}
        onChange={(kind) => isLocked || form.choose({ kind })}
      />
    )
  }
  return (
    <div className="text-base font-medium flex gap-3 items-center justify-between min-h-(--touch) -me-3">
      <h2>{texts.editSheet[values.kind]}</h2>
      <Button look="ghost" onClick={onLeave} disabled={isLocked}>
        {isDraftChanged ? texts.discard : texts.newOrder}
      </Button>
    </div>
  )
}

function FilledOrder({ order, wallet }: { order: Order; wallet: Wallet }) {
  const { kind, target_currency: target } = order
  const available = wallet.assets.find(({ currency }) => currency === target)?.available ?? '0'
  return (
    <Note live>
      <b>{texts.nowFilled[kind]}</b> {describeOutcome(order)} {texts.balanceNow(formatExact(available, target))}
    </Note>
  )
}

function OrderSums({ form: { sums, values } }: { form: OrderFormModel }) {
  const { minimum, fee, onHold } = sums
  return (
    <DefinitionList
      small
      entries={[
        { term: texts.atLeast, value: minimum ? formatExact(toDecimal(minimum), values.to) : '–' },
        // not money: basis points
        {
          term: texts.fee(formatPercent(Number(orderFee))),
          value: fee ? formatHold(toDecimal(fee), values.from) : '–',
        },
        { term: texts.onHold, value: onHold ? formatHold(toDecimal(onHold), values.from) : '–', sum: true },
      ]}
    />
  )
}
