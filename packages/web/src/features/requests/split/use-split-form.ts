import { useQueryClient } from '@tanstack/react-query'
import type { CurrentUser, PublicUser } from '@tern/contract/identity'
import { Refused } from '@tern/contract/protocol/client'
import { createSplit, type Split } from '@tern/contract/requests/splits'
import type { FiatCode } from '@tern/money/currency'
import { type FieldErrors, type UseFormReturn, useForm } from 'react-hook-form'
import { split } from '#messages/transfers/split.ts'
import { transfers } from '#messages/transfers.ts'
import { createResolver } from '../../../app/forms/resolver.ts'
import { useKeyedCall } from '../../../app/orders/use-keyed-call.ts'
import { useTypedRecipient } from '../../../app/recipient/use-typed-recipient.ts'
import { useAction } from '../../../app/use-action.ts'
import { refreshRequests } from '../request-queries.ts'
import {
  computeDraft,
  validateSplit,
  hasRemainder,
  buildSplitRequest,
  partError,
  type SplitPerson,
  type SplitValues,
} from './split-parts.ts'
import { toPerson, useSplitPeople } from './use-split-people.ts'

/** Form field for a field of the API; undefined without one. */
function findField(name: string, people: readonly SplitPerson[]): string | undefined {
  if (name === 'total' || name === 'description') return name
  if (name === 'people') return 'personText'
  const own = people.findIndex(({ isOwn }) => isOwn)
  if (name.startsWith('own.') && own >= 0) return partError(own)
  const index = /^people\.(\d+)/.exec(name)?.[1]
  // The person who splits is first in the list, and separate from the others in the API.
  return index === undefined ? undefined : partError(Number(index) + (own >= 0 ? 1 : 0)) // not money: a place in a list
}

/** Creates the split idempotently: a repeated press or a lost answer creates only one. */
function useOrder(form: UseFormReturn<SplitValues>, userId: number, currency: FiatCode) {
  const queryClient = useQueryClient()
  const create = useKeyedCall()
  return async (onCreated: (createdSplit: Split) => void): Promise<void> => {
    const body = buildSplitRequest(currency, form.getValues())
    if (!body) return
    const createdSplit = await create(createSplit, { body })
    void refreshRequests(queryClient, userId)
    onCreated(createdSplit)
  }
}

export function useSplitForm(user: CurrentUser, currency: FiatCode, onCreated: (createdSplit: Split) => void) {
  const own: PublicUser = { ...user, base_currency: currency }
  const form: UseFormReturn<SplitValues> = useForm<SplitValues>({
    defaultValues: { total: '', description: '', method: 'equal', people: [toPerson(own, true)], personText: '' },
    resolver: createResolver(() => validateSplit(currency, form.getValues())),
    reValidateMode: 'onSubmit',
  })
  const values = form.watch()
  const draft = computeDraft(currency, values)
  const errors = form.formState.errors as FieldErrors<Record<string, string>>
  const people = useSplitPeople(form, own, currency)
  const order = useOrder(form, user.id, currency)
  const { lookUp } = useTypedRecipient({
    own,
    notFound: transfers.recipientNotFound,
    read: () => ({ text: form.getValues().personText, recipient: undefined }),
    onFound: people.add,
    onNotFound: (why) => form.setError('personText', { message: why }),
  })
  const action = useAction({
    /** A refusal is shown at its field, or below the form if it names none. */
    failed(error) {
      if (!(error instanceof Refused)) return split.failed
      const [problem] = error.errors
      const name = problem && findField(problem.field, form.getValues().people)
      if (!problem || !name) return error.message
      form.setError(name as 'total', { message: problem.message })
      return ''
    },
  })

  return {
    ...{ values, draft, people },
    submitCount: form.formState.submitCount,
    isBusy: action.isBusy,
    hasRemainder: hasRemainder(values, draft),
    error: action.error || undefined,
    getError: (name: string) => errors[name]?.message,
    set<Name extends 'total' | 'description' | 'personText'>(name: Name, value: SplitValues[Name]) {
      form.setValue(name, value as never)
      form.clearErrors()
    },
    addYourself: () => people.add(own),
    lookUp: () => void lookUp(),
    async submit(): Promise<void> {
      const now = form.getValues()
      // A typed but unconfirmed person is added first, so that their part is visible before anything is sent.
      if (now.personText.trim()) return lookUp()
      if (hasRemainder(now, computeDraft(currency, now))) return
      await form.handleSubmit(() => action.run(() => order(onCreated)))()
    },
  }
}

export type SplitFormModel = ReturnType<typeof useSplitForm>
