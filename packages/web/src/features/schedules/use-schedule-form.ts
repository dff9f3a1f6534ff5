import { useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { Refused } from '@tern/contract/protocol/client'
import { type ScheduleTerms, createSchedule, editSchedule, type Schedule } from '@tern/contract/schedules/schedules'
import type { FiatCode } from '@tern/money/currency'
import { toDecimal } from '@tern/money/money'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { useSearchParams } from 'react-router'
import { schedules } from '#messages/schedules/schedules.ts'
import { createResolver } from '../../app/forms/resolver.ts'
import { parseAmount } from '../../app/orders/amount.ts'
import { useKeyedCall } from '../../app/orders/use-keyed-call.ts'
import { quoteQuery, useLiveQuote } from '../../app/orders/quotes.ts'
import { callApi } from '../../app/session/session.ts'
import { notConfirmed, withStepUp } from '../../app/step-up/step-up.ts'
import { ownTimeZone } from '../../app/browser/time-zone.ts'
import { useAction } from '../../app/use-action.ts'
import { useTypedRecipient } from '../../app/recipient/use-typed-recipient.ts'
import { useSettled } from '../../app/use-settled.ts'
import { usePayeeWarning } from '../../app/warnings/use-payee-warning.ts'
import {
  chooseCurrencies,
  validateSchedule,
  fieldNames,
  isFloating,
  type ScheduleValues,
  startValues,
  buildTerms,
  paymentToCheck,
} from './schedule-form.ts'

const typingPauseMs = 500

interface FormOptions {
  user: CurrentUser
  currency: FiatCode
  schedule: Schedule | undefined
  onDone: () => void
}

/** Creates or changes a schedule idempotently: a repeated press or a lost answer creates only one. */
function useOrder({ user, schedule, onDone }: FormOptions) {
  const queryClient = useQueryClient()
  const create = useKeyedCall()
  return async (terms: ScheduleTerms, recipientId: number): Promise<void> => {
    const body = { ...terms, recipient_id: recipientId, time_zone: ownTimeZone() }
    const reply = await withStepUp((confirmation) =>
      schedule
        ? callApi(editSchedule, { params: { id: schedule.id }, body: terms, confirmation })
        : create(createSchedule, { body, confirmation }),
    )
    if (reply === notConfirmed) return
    await queryClient.invalidateQueries({ queryKey: ['schedules', user.id] })
    onDone()
  }
}

export function useScheduleForm(options: FormOptions) {
  const { user, currency, schedule } = options
  const queryClient = useQueryClient()
  const [address] = useSearchParams()
  const order = useOrder(options)
  const form: UseFormReturn<ScheduleValues> = useForm<ScheduleValues>({
    defaultValues: startValues(schedule, address),
    resolver: createResolver(() =>
      validateSchedule(form.getValues(), { userId: user.id, source: currency, schedule, searchProblem }),
    ),
    reValidateMode: 'onSubmit',
  })
  const values = form.watch()
  const currencies = chooseCurrencies(values, currency, schedule)
  const { sourceCurrency, targetCurrency, typedCurrency } = currencies
  const amount = parseAmount(typedCurrency, values.amount)
  const { recipient, side } = values
  const request =
    amount && targetCurrency && recipient
      ? {
          ...{ source_currency: sourceCurrency, target_currency: targetCurrency, amount: toDecimal(amount), side },
          recipient_id: recipient.id,
        }
      : undefined
  const live = useLiveQuote(request)
  const isFloatingCost = isFloating(values, currencies)
  const findPayment = (terms: ScheduleTerms | undefined) =>
    terms && recipient && paymentToCheck(terms, { userId: user.id, recipientId: recipient.id, schedule })
  const payment = findPayment(buildTerms(values, currencies, live.priced?.quote.total))
  const paymentKey = JSON.stringify(payment)
  const settled = useSettled(payment, paymentKey, typingPauseMs)
  const checked = settled.key === paymentKey ? settled.value : undefined
  const warning = usePayeeWarning(checked)
  const action = useAction({
    /** A refusal is shown at its field, or below the form if it names none. */
    failed(error) {
      if (!(error instanceof Refused)) return schedules.failed
      const problem = error.errors.find(({ field }) => Object.hasOwn(fieldNames, field))
      const name = problem && fieldNames[problem.field]
      if (!problem || !name) return error.message
      form.setError(name, { message: problem.message })
      return ''
    },
  })
  const { lookUp, searchProblem } = useTypedRecipient({
    own: { ...user, base_currency: currency },
    notFound: schedules.nobody,
    read() {
      const { recipientText: text, recipient: found } = form.getValues()
      return { text, recipient: found }
    },
    onFound: (found) => form.setValue('recipient', found),
    onNotFound: (why) => form.setError('recipientText', { message: why }),
  })
  const submitTerms = async () => {
    const isUnpriced = isFloatingCost && !live.priced && !values.guard.isOn
    const priced = isUnpriced && request ? await queryClient.fetchQuery(quoteQuery(request)) : live.priced
    const terms = buildTerms(values, currencies, priced?.quote.total)
    if (terms && recipient && (await warning.confirm(findPayment(terms)))) await order(terms, recipient.id)
  }
  const { errors, submitCount } = form.formState
  return {
    ...{ values, live, sourceCurrency, targetCurrency, typedCurrency, submitCount },
    isFloatingCost,
    warning,
    warnedAmount: checked?.quote,
    isBusy: action.isBusy,
    error: action.error || undefined,
    getError: (name: keyof ScheduleValues) => errors[name]?.message,
    set<Name extends keyof ScheduleValues>(name: Name, value: ScheduleValues[Name]) {
      form.setValue(name, value as never)
      form.clearErrors()
    },
    lookUp: () => void lookUp(),
    async submit(): Promise<void> {
      await lookUp()
      await form.handleSubmit(() => action.run(submitTerms))()
    },
  }
}

export type ScheduleFormModel = ReturnType<typeof useScheduleForm>
