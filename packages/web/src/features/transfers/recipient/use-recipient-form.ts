import { useQueryClient } from '@tanstack/react-query'
import { Refused, Unreachable } from '@tern/contract/protocol/client'
import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { type FormEvent, useRef, useState } from 'react'
import { useIsCurrentPage } from '../../../app/use-is-current-page.ts'
import { type DatedQuote, faultOfField, type LiveQuote, quoteQuery, useLiveQuote } from '../../../app/orders/quotes.ts'
import { type Means, outsideMeans } from '../review/payment-source.ts'
import {
  type Errors,
  faultsOf,
  type FieldName,
  isBeyondBalance,
  notYourself,
  quoteRequestOf,
  type SendForm,
} from '../send-form.ts'
import { useRecipientLookup } from './use-recipient-lookup.ts'

export interface RecipientStepProps {
  user: CurrentUser
  wallet: Wallet
  form: SendForm
  means: Means
  onForm: (change: (form: SendForm) => SendForm) => void
  onBack: () => void
  onNext: (priced: DatedQuote, means: Means) => void
}

export const fieldIds: Record<FieldName, string> = {
  source: 'send-source',
  recipient: 'send-recipient',
  amount: 'send-amount',
  cryptoCurrency: 'send-crypto',
}

// The price on the page is renewed every minute; that very one is taken along.
const shownQuoteMs = 90_000

const without = (errors: Errors, settled: readonly FieldName[]): Errors =>
  Object.fromEntries(Object.entries(errors).filter(([name]) => !settled.includes(name as FieldName)))

const isSameTransfer = (one: SendForm, other: SendForm): boolean =>
  one.recipientText === other.recipientText &&
  one.amount === other.amount &&
  one.isCrypto === other.isCrypto &&
  one.cryptoCurrency === other.cryptoCurrency

/** Tells whether the form is still filled in as it was: whoever has typed on, or left, is not taken along any more. */
function useIsSame(form: SendForm): (checked: SendForm) => boolean {
  const isHere = useIsCurrentPage()
  const now = useRef(form)
  now.current = form
  return (checked) => isHere() && isSameTransfer(checked, now.current)
}

/** The second step's state: what was typed, who it stands for, what it costs, and what is wrong with it. */
export function useRecipientForm({ user, wallet, form, means, onForm, onNext }: RecipientStepProps) {
  const queryClient = useQueryClient()
  const asked = useLiveQuote(quoteRequestOf(form))
  const refused = { recipient: faultOfField(asked, 'recipient_id'), amount: faultOfField(asked, 'amount') }
  // What is wrong with a field stands at the field, not in the place of the price.
  const live: LiveQuote = refused.recipient || refused.amount ? { status: 'none' } : asked
  const lookup = useRecipientLookup({ user, form, onForm })
  const isSame = useIsSame(form)
  const [errors, setErrors] = useState<Errors>({})
  const [isChecking, setIsChecking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const total = live.status === 'ready' ? live.priced.quote.total : undefined

  const change = (changed: Partial<SendForm>, ...settled: FieldName[]) => {
    onForm((current) => ({ ...current, ...changed }))
    setErrors((current) => without(current, settled))
    setProblem(undefined)
  }
  const show = (found: Errors) => {
    setErrors(found)
    const first = Object.keys(found)[0] as FieldName
    document.getElementById(fieldIds[first])?.focus()
  }

  async function check(chosen: Means): Promise<void> {
    const isOutside = chosen.source !== 'wallet'
    const recipient = await lookup.settle()
    if (!isSame(form)) return
    const whole = { ...form, recipient: recipient.user }
    const found = faultsOf(whole, wallet, user.id, total, isOutside)
    if (recipient.error && recipient.user?.id !== user.id) found.recipient = recipient.error
    if (Object.keys(found).length > 0) return show(found)
    const priced = await queryClient.fetchQuery({ ...quoteQuery(quoteRequestOf(whole)), staleTime: shownQuoteMs })
    if (!isSame(form)) return
    const beyond = faultsOf(whole, wallet, user.id, priced.quote.total, isOutside)
    if (Object.keys(beyond).length > 0) return show(beyond)
    onNext(priced, chosen)
  }

  async function goOn(chosen: Means): Promise<void> {
    if (isChecking) return
    setIsChecking(true)
    setProblem(undefined)
    try {
      await check(chosen)
    } catch (error) {
      // What was asked for something else is called off, among others.
      if (!isSame(form)) return
      if (!(error instanceof Refused || error instanceof Unreachable)) throw error
      const onAmount = error instanceof Refused && error.errors.find(({ field }) => field === 'amount')
      if (onAmount) show({ amount: onAmount.message })
      else setProblem(error.message)
    } finally {
      setIsChecking(false)
    }
  }

  const isOutside = means.source !== 'wallet'
  const isBeyond = !isOutside && isBeyondBalance(form, wallet, total)
  const recipientError = lookup.isOwn ? notYourself(isOutside) : lookup.error
  return {
    lookup,
    live,
    errors: { ...refused, ...errors, ...(recipientError ? { recipient: recipientError } : {}) },
    problem,
    isChecking,
    isBeyond,
    /** Cards and banks pay in the main currency alone. */
    mayPayOutside: isBeyond && form.source === wallet.base_currency,
    change,
    submit(event: FormEvent) {
      event.preventDefault()
      void goOn(means)
    },
    payOutside: () => void goOn(outsideMeans(means)),
  }
}
