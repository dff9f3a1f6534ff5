import { type Category, chooseCounterpartyCategory, chooseTransactionCategory } from '@tern/contract/insight'
import { useState } from 'react'
import { insights as texts } from '#messages/insight/insights.ts'
import { callApi } from '../../app/session/session.ts'
import { useApiMutation } from '../../app/use-api-mutation.ts'

/** Choice of a category for all transactions with a person, or for one transaction; null removes it. */
export interface CategoryChoice {
  readonly subject: { readonly person: number } | { readonly transaction: string }
  /** Name of the person or transaction. */
  readonly name: string
  readonly category: Category | null
  readonly previous: Category | null
}

export const isSameSubject = (a: CategoryChoice['subject'], b: CategoryChoice['subject']): boolean =>
  'person' in a ? 'person' in b && a.person === b.person : 'transaction' in b && a.transaction === b.transaction

const store = ({ subject, category }: CategoryChoice): Promise<unknown> =>
  'person' in subject
    ? callApi(chooseCounterpartyCategory, { params: { userId: String(subject.person) }, body: { category } })
    : callApi(chooseTransactionCategory, { params: { id: subject.transaction }, body: { category } })

/** Stores categories, one at a time, and keeps the last change so that it can be undone. */
export function useCategoryChoice(userId: number) {
  const [pending, setPending] = useState<CategoryChoice>()
  const [last, setLast] = useState<CategoryChoice>()
  const action = useApiMutation({
    failed: texts.choiceFailed,
    refetches: [['transactions', userId]],
    onSettled: () => setPending(undefined),
  })
  const choose = (choice: CategoryChoice) => {
    if (action.isBusy) return
    setPending(choice)
    action.run(async () => {
      await store(choice)
      setLast(choice)
    })
  }
  const undo = () => {
    if (last) choose({ ...last, category: last.previous, previous: last.category })
  }
  return { pending, last, choose, undo, error: action.error }
}

export type CategoryChoices = ReturnType<typeof useCategoryChoice>
