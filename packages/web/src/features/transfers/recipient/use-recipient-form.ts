import { useQueryClient } from '@tanstack/react-query'
import { type Quote, quoteRequest } from '@tern/contract/exchange'
import type { CurrentUser } from '@tern/contract/identity'
import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { transferRequest } from '@tern/contract/transfers'
import type { Wallet } from '@tern/contract/wallets'
import { toDecimal } from '@tern/money/money'
import { useState } from 'react'
import type { FieldErrors } from 'react-hook-form'
import { transfers } from '#messages/transfers.ts'
import { type FormErrors, schemaErrors } from '../../../app/forms/resolver.ts'
import { type DatedQuote } from '../../../app/orders/dated-quote.ts'
import { quoteQuery, useLiveQuote } from '../../../app/orders/quotes.ts'
import { useIsCurrentPage } from '../../../app/use-is-current-page.ts'
import { findBlocker, type FundingSource } from '../review/payment-source.ts'
import {
  validateSend,
  parseMoney,
  describeSelfTransfer,
  buildQuoteRequest,
  type SendForm,
  computeShortfall,
} from '../send-form.ts'
import type { Draft } from '../use-draft.ts'
import { useRecipientLookup } from './use-recipient-lookup.ts'

export interface RecipientStepProps {
  user: CurrentUser
  wallet: Wallet
  draft: Draft
  onBack: () => void
  onNext: (priced: DatedQuote, funding: FundingSource) => void
}

// Longer than the one-minute refresh of the displayed price, so that the review takes over this price.
const quoteStaleMs = 90_000

const comparedFields = ['recipientText', 'amount', 'isExact', 'isCrypto', 'cryptoCurrency'] as const

/** State of the second step: recipient lookup, price and validation. */
export function useRecipientForm({ user, wallet, draft, onNext }: RecipientStepProps) {
  const queryClient = useQueryClient()
  const isCurrentPage = useIsCurrentPage()
  const { form, values, funding } = draft
  const live = useLiveQuote(buildQuoteRequest(values))
  const lookup = useRecipientLookup(draft, { ...user, base_currency: wallet.base_currency })
  const [isChecking, setIsChecking] = useState(false)
  const total = live.priced?.quote.total
  const showFormErrors = (found: FormErrors<keyof SendForm>) => showErrors(form, found)
  async function check(chosen: FundingSource): Promise<void> {
    const isOutside = chosen.source !== 'wallet'
    const input = form.getValues()
    // Do not continue if the user has typed more or navigated away.
    const isSame = () => isCurrentPage() && comparedFields.every((name) => form.getValues(name) === input[name])
    const { recipient, refusal } = await lookup.waitForRecipient()
    if (!isSame()) return
    if (refusal) return form.setError('recipient', { message: refusal })
    const fullForm: SendForm = { ...input, recipient }
    const found = validateSend(fullForm, wallet, user.id, total, isOutside)
    if (!recipient && input.recipientText.trim()) found.recipient = transfers.recipientNotFound
    if (showFormErrors(found) || showFormErrors(findContractErrors(fullForm))) return
    try {
      const priced = await queryClient.fetchQuery({
        ...quoteQuery(buildQuoteRequest(fullForm)),
        staleTime: quoteStaleMs,
      })
      if (!isSame()) return
      if (!showFormErrors(validateSend(fullForm, wallet, user.id, priced.quote.total, isOutside)))
        onNext(priced, chosen)
    } catch (error) {
      // Also ignores aborted requests for earlier input.
      if (!isSame()) return
      if (!(error instanceof Refused || error instanceof Unreachable)) throw error
      const amountError = error instanceof Refused && error.errors.find(({ field }) => field === 'amount')
      form.setError(amountError ? 'amount' : 'root', { message: amountError ? amountError.message : error.message })
    }
  }

  async function checkAndContinue(chosen: FundingSource): Promise<void> {
    if (isChecking) return
    setIsChecking(true)
    form.clearErrors()
    try {
      await form.handleSubmit(() => check(chosen))()
    } finally {
      setIsChecking(false)
    }
  }

  const change = (changed: Partial<SendForm>) => changeForm(form, changed)
  const isOutside = funding.source !== 'wallet'
  const { shortfall, rest } = isOutside ? noShortfall : findShortfall(values, wallet, total)
  const exceedsBalance = shortfall !== undefined
  const isOwn = values.recipient?.id === user.id
  const ownError = isOwn ? describeSelfTransfer(isOutside) : undefined
  const { errors, submitCount } = form.formState
  return {
    isOwn,
    lookUp: lookup.begin,
    live,
    submitCount,
    isChecking,
    exceedsBalance,
    shortfall,
    rest,
    errors: {
      ...listMessages(errors),
      recipient: ownError ?? lookup.failureText ?? errors.recipient?.message ?? live.refused?.recipient_id,
      // A shortfall of the balance takes precedence over the refusal of a price.
      amount: errors.amount?.message ?? (exceedsBalance ? transfers.insufficient : live.refused?.amount),
    },
    change,
    /** Changes the receiving currency. An exact received amount does not carry over, so the sent amount is kept. */
    changeArrival: (changed: Pick<Partial<SendForm>, 'isCrypto' | 'cryptoCurrency'>) =>
      change({ ...(values.isExact ? switchSides(values, live.priced?.quote) : {}), ...changed }),
    /** Switches between entering the sent and the received amount, without changing a priced transfer. */
    switchSide: () => change(switchSides(values, live.priced?.quote)),
    /** Continues to the review; if wallet and card can pay together, with the card for the shortfall. */
    submit: () => void checkAndContinue(rest === 'card' ? { ...funding, source: 'wallet_partial' } : funding),
    /** Continues with a card instead of an insufficient wallet. */
    payOutside: () => void checkAndContinue({ ...funding, source: 'card' }),
  }
}

/** Errors of the form itself, and of fields validated only by it. */
const listMessages = ({ cryptoCurrency, description, root }: FieldErrors<SendForm>) => ({
  cryptoCurrency: cryptoCurrency?.message,
  description: description?.message,
  form: root?.message,
})

interface Shortfall {
  /** Decimal string in the source currency; undefined if the balance suffices. */
  readonly shortfall: string | undefined
  readonly rest: 'card' | 'outside' | undefined
}

const noShortfall: Shortfall = { shortfall: undefined, rest: undefined }

function findShortfall(form: SendForm, wallet: Wallet, total: string | undefined): Shortfall {
  const shortfall = computeShortfall(form, wallet, total)
  return shortfall === undefined ? noShortfall : { shortfall, rest: chooseRestSource(form, wallet) }
}

/**
 * Payment of the shortfall: by card together with the wallet, only externally, or not at all, since cards and banks pay
 * only in the main currency.
 */
function chooseRestSource(form: SendForm, wallet: Wallet): 'card' | 'outside' | undefined {
  if (form.source !== wallet.base_currency) return undefined
  const amount = parseMoney(form)
  if (amount?.currency !== form.source) return 'outside'
  const priced = { source_amount: toDecimal(amount), source_currency: form.source, total: toDecimal(amount) }
  return findBlocker('wallet_partial', priced, wallet) ? 'outside' : 'card'
}

/**
 * The same transfer with its amount in the other currency; without a `quote` for the conversion, the text is unchanged.
 */
function switchSides({ isExact, amount }: SendForm, quote: Quote | undefined): Partial<SendForm> {
  return { isExact: !isExact, amount: quote?.[isExact ? 'source_amount' : 'target_amount'] ?? amount }
}

/** Changes fields and clears their errors. */
function changeForm(form: Draft['form'], changed: Partial<SendForm>): void {
  for (const [name, value] of Object.entries(changed)) form.setValue(name as 'amount', value as string)
  form.clearErrors('root')
  form.clearErrors(Object.keys(changed) as 'amount'[])
}

/** Shows errors at their fields; returns false without any. */
function showErrors(form: Draft['form'], found: FormErrors<keyof SendForm>): boolean {
  const all = Object.entries(found)
  for (const [name, message] of all) form.setError(name as 'amount', { message: message as string })
  return all.length > 0
}

export type RecipientForm = ReturnType<typeof useRecipientForm>

/** Errors of the price request and the description by the contract's schemas. */
function findContractErrors(form: SendForm): FormErrors<keyof SendForm> {
  const { amount } = schemaErrors(quoteRequest, buildQuoteRequest(form))
  const { description } = schemaErrors(transferRequest, form)
  return { ...(amount && { amount }), ...(description && { description }) }
}
