import type { Quote } from '@tern/contract/exchange'
import { Refused } from '@tern/contract/protocol/client'
import type { CallInput, Reply } from '@tern/contract/protocol/endpoint'
import { visibleText } from '@tern/contract/protocol/text/visible-text'
import { payAsGuest } from '@tern/contract/requests/guest-payments'
import type { PaymentLink } from '@tern/contract/requests/payment-links'
import { type FormEvent, useRef, useState } from 'react'
import { pay } from '#messages/transfers/requests.ts'
import { type OrderFailure, useMoneyOrder } from '../../../../app/orders/money-order.ts'
import { OrderNote } from '../../../../app/orders/OrderNote.tsx'
import { tabOrderStore } from '../../../../app/orders/persisted-order.ts'
import { callAsVisitor } from '../../../../app/session/session.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { TextField } from '../../../../ui/forms/TextField.tsx'
import { ActionBar } from '../../../../ui/layout/ActionBar.tsx'
import { formatExact } from '../../../../ui/money/exact-amount.ts'
import { requesterName, shortRequesterName } from '../RequestSummary.tsx'

type Body = CallInput<typeof payAsGuest>['body']
type Price = Omit<Quote, 'quote_id' | 'expires_at' | 'recipient_id'>

interface GuestFormProps {
  data: string
  link: PaymentLink
  /** Undefined while loading. */
  price: Price | undefined
  /** Called when the server reports a different price. */
  onPriceChanged: () => void
  /** Called when the server reports that the request is closed. */
  onChange: () => void
}

const problems = { name: pay.enterName, email: pay.enterEmail }
type Field = keyof typeof problems

/** Pays a request by card without an account: name and email, then the provider's card page. */
export function GuestForm(props: GuestFormProps) {
  const { link, price } = props
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState({ name: '', email: '' })
  const [errors, setErrors] = useState<Partial<Record<Field, string>>>({})
  const show = (found: Partial<Record<Field, string>>) => {
    setErrors(found)
    const [first] = Object.keys(found)
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }
  const { state, send, clear } = useGuestOrder(props, show)
  const field = (name: Field) => ({
    name,
    value: values[name],
    error: errors[name],
    onChange: ({ target }: { target: HTMLInputElement }) => {
      setValues({ ...values, [name]: target.value })
      setErrors({ ...errors, [name]: undefined })
      clear()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found: Partial<Record<Field, string>> = {}
    for (const name of ['name', 'email'] as const) if (visibleText(values[name]) === '') found[name] = problems[name]
    show(found)
    if (Object.keys(found).length > 0 || !price) return
    send({ ...values, currency: price.source_currency, expected_total: price.total })
  }
  const amount = price && formatExact(price.total, price.source_currency)
  const receivedText =
    price && pay.getsAmount(shortRequesterName(link), formatExact(price.target_amount, price.target_currency))
  return (
    <form ref={form} noValidate className="mt-6 grid gap-4" onSubmit={submit}>
      <TextField
        label={pay.guestName}
        hint={pay.guestNameHint(requesterName(link))}
        autoComplete="name"
        maxLength={80}
        required
        {...field('name')}
      />
      <TextField
        label={pay.guestEmail}
        hint={pay.guestEmailHint}
        type="email"
        inputMode="email"
        autoComplete="email"
        required
        {...field('email')}
      />
      <OrderNote state={state} texts={pay} unknownTitle={pay.guestFailed} />
      <ActionBar title={receivedText ?? pay.gettingPrice} detail={pay.sources.card} isBusy={!price}>
        <Button type="submit" look="primary" big wide icon="card" processing={state.status === 'sending'}>
          {amount ? pay.byCard(amount) : pay.gettingPrice}
        </Button>
      </ActionBar>
      <p className="small muted">{pay.cardPage}</p>
    </form>
  )
}

/** Sends the guest's details. Nothing is charged yet: the card is entered on the provider's page. */
function useGuestOrder(
  { data, onPriceChanged, onChange }: GuestFormProps,
  showProblems: (found: Partial<Record<Field, string>>) => void,
) {
  return useMoneyOrder<Body, Reply<typeof payAsGuest>>({
    store: tabOrderStore('guest', () => false),
    buildBody: (body) => body,
    call: (body, { idempotencyKey }) => callAsVisitor(payAsGuest, { params: { data }, body, idempotencyKey }),
    isCharging: () => false,
    onReply: ({ redirect_url: redirectTo }) => (redirectTo === null ? { detail: pay.failed } : { redirectTo }),
    onFailure(error): OrderFailure | undefined {
      if (!(error instanceof Refused)) return { title: pay.guestFailed, detail: '' }
      if (error.code === 'price_changed') {
        onPriceChanged()
        return { detail: pay.guestPriceChanged, tone: 'info' }
      }
      if (error.code === 'request_closed') onChange()
      const found = error.errors.filter(({ field }) => Object.hasOwn(problems, field))
      if (found.length === 0) return { title: pay.guestFailed, detail: error.message }
      showProblems(Object.fromEntries(found.map(({ field, message }) => [field, message])))
      return undefined
    },
  })
}
