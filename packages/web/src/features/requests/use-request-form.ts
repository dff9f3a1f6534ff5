import { useQueryClient } from '@tanstack/react-query'
import type { CurrentUser, PublicUser } from '@tern/contract/identity'
import { Refused } from '@tern/contract/protocol/client'
import { createRequest, type PaymentRequest } from '@tern/contract/requests/requests'
import type { FiatCode } from '@tern/money/currency'
import { toDecimal } from '@tern/money/money'
import { useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { receive } from '#messages/transfers/requests.ts'
import { transfers } from '#messages/transfers.ts'
import { type FormErrors, createResolver } from '../../app/forms/resolver.ts'
import { parseAmount } from '../../app/orders/amount.ts'
import { createIdempotencyKeys } from '../../app/orders/orders.ts'
import { callApi } from '../../app/session/session.ts'
import { useAction } from '../../app/use-action.ts'
import { useTypedRecipient } from '../../app/recipient/use-typed-recipient.ts'
import { refreshRequests } from './request-queries.ts'

export interface RequestValues {
  amount: string
  description: string
  name: string
  payerText: string
  payer: PublicUser | undefined
  allowsParts: boolean
  days: string
}

const empty: RequestValues = {
  amount: '',
  description: '',
  name: '',
  payerText: '',
  payer: undefined,
  allowsParts: false,
  days: '30',
}

const maxDays = 365

/** Parsed number of days; undefined unless it is in the server's range. */
function parseDays(text: string): number | undefined {
  const days = /^\d{1,3}$/.test(text.trim()) ? Number(text) : 0 // not money: a count of days
  return days >= 1 && days <= maxDays ? days : undefined
}

/** Form fields by the API's field names. */
const fieldNames: Readonly<Record<string, keyof RequestValues>> = {
  amount: 'amount',
  description: 'description',
  name: 'name',
  payer_id: 'payerText',
  expires_in_days: 'days',
}

/** Validation errors by field; `searchProblem` gives the reason why the text matches no payer. */
function validateRequest(
  { amount, days, payerText, payer }: RequestValues,
  { userId, currency, searchProblem }: { userId: number; currency: FiatCode; searchProblem: (text: string) => string },
): FormErrors {
  if (!parseAmount(currency, amount)) return { amount: receive.enterAmount }
  if (!parseDays(days)) return { days: receive.enterDays }
  if (payerText.trim() && !payer) return { payerText: searchProblem(payerText) }
  return payer?.id === userId ? { payerText: transfers.notYourself } : {}
}

/** State of the request form. Creation is idempotent: a repeated press or a lost answer creates only one request. */
export function useRequestForm(user: CurrentUser, currency: FiatCode, onCreated: (request: PaymentRequest) => void) {
  const queryClient = useQueryClient()
  const [keys] = useState(() => createIdempotencyKeys())
  const form: UseFormReturn<RequestValues> = useForm<RequestValues>({
    defaultValues: empty,
    resolver: createResolver(() => validateRequest(form.getValues(), { userId: user.id, currency, searchProblem })),
    reValidateMode: 'onSubmit',
  })
  const { errors, submitCount } = form.formState
  const { lookUp, searchProblem } = useTypedRecipient({
    own: { ...user, base_currency: currency },
    notFound: transfers.recipientNotFound,
    read() {
      const { payerText: text, payer: recipient } = form.getValues()
      return { text, recipient }
    },
    onFound: (payer) => form.setValue('payer', payer),
    onNotFound: (why) => form.setError('payerText', { message: why }),
  })
  const action = useAction({ failed: describeError })
  const values = form.watch()

  /** Shows a refusal at its field; returns the message if it names none. */
  function describeError(error: unknown): string {
    if (!(error instanceof Refused)) return receive.failed
    const problem = error.errors.find(({ field }) => Object.hasOwn(fieldNames, field))
    const name = problem && fieldNames[problem.field]
    if (!problem || !name) return error.message
    form.setError(name, { message: problem.message })
    return ''
  }

  async function createFromForm(): Promise<void> {
    const { amount: text, description, name, payer, allowsParts, days } = form.getValues()
    const amount = parseAmount(currency, text)
    if (!amount) return
    const body = {
      amount: toDecimal(amount),
      currency,
      description,
      name,
      allows_parts: allowsParts,
      expires_in_days: parseDays(days),
      ...(payer ? { payer_id: payer.id } : {}),
    }
    try {
      const request = await callApi(createRequest, { body, idempotencyKey: keys.getKey(JSON.stringify(body)) })
      keys.clear()
      form.reset(empty)
      void refreshRequests(queryClient, user.id)
      onCreated(request)
    } catch (error) {
      keys.failed(error)
      throw error
    }
  }

  return {
    values,
    submitCount,
    isBusy: action.isBusy,
    error: action.error || undefined,
    getError: (name: keyof RequestValues) => errors[name]?.message,
    set<Name extends keyof RequestValues>(name: Name, value: RequestValues[Name]) {
      form.setValue(name, value as never)
      form.clearErrors()
    },
    lookUp: () => void lookUp(),
    async submit(): Promise<void> {
      await lookUp()
      await form.handleSubmit(() => action.run(createFromForm))()
    },
  }
}

export type RequestFormModel = ReturnType<typeof useRequestForm>
