import type { PublicUser } from '@tern/contract/identity'
import { maxPeople } from '@tern/contract/requests/split-limits'
import type { SplitMethod } from '@tern/contract/requests/splits'
import type { FiatCode } from '@tern/money/currency'
import { add, isPositive, toDecimal } from '@tern/money/money'
import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { split } from '#messages/transfers/split.ts'
import { parseAmount } from '../../../app/orders/amount.ts'
import { computeDraft, participantName, type SplitPerson, type SplitValues } from './split-parts.ts'

export const toPerson = (user: PublicUser, isOwn: boolean): SplitPerson => ({ user, isOwn, shares: '1', amount: '' })

export function useSplitPeople(form: UseFormReturn<SplitValues>, own: PublicUser, currency: FiatCode) {
  /** Last change of the list, announced to screen readers. */
  const [announcement, setAnnouncement] = useState('')

  function setPeople(people: readonly SplitPerson[]): void {
    form.setValue('people', [...people])
    form.clearErrors()
  }

  function change(index: number, changes: Partial<SplitPerson>): void {
    const { people } = form.getValues()
    const person = people[index]
    if (person) setPeople(people.with(index, { ...person, ...changes }))
  }

  return {
    announcement,
    change,
    add(found: PublicUser): void {
      const { people } = form.getValues()
      const isOwn = found.id === own.id
      const person = toPerson(isOwn ? own : found, isOwn)
      form.setValue('personText', '')
      const isListed = people.some(({ user }) => user.id === found.id)
      if (isListed || people.length >= maxPeople) {
        const message = isListed ? split.inAlready(participantName(person)) : split.tooMany(maxPeople)
        return form.setError('personText', { message })
      }
      setPeople(isOwn ? [person, ...people] : [...people, person])
      setAnnouncement(split.added(participantName(person), people.length + 1))
    },
    remove(index: number): void {
      const { people } = form.getValues()
      const removedPerson = people[index]
      setPeople(people.filter((_, at) => at !== index))
      if (removedPerson) setAnnouncement(split.removed(participantName(removedPerson), people.length - 1))
    },
    setMethod(method: SplitMethod): void {
      const values = form.getValues()
      // Amounts start with the current parts.
      if (method === 'amounts' && values.method !== 'amounts') {
        const { parts } = computeDraft(currency, values)
        const readAmount = (index: number) => {
          const part = parts[index]
          return part && isPositive(part) ? toDecimal(part) : ''
        }
        setPeople(values.people.map((person, index) => Object.assign({}, person, { amount: readAmount(index) })))
      }
      form.setValue('method', method)
      form.clearErrors()
    },
    /** Assigns the rest to the person who splits. */
    assignRest(): void {
      const values = form.getValues()
      const { remaining } = computeDraft(currency, values)
      const index = values.people.findIndex(({ isOwn }) => isOwn)
      const part = parseAmount(currency, values.people[index]?.amount ?? '')
      change(index, { amount: toDecimal(part ? add(part, remaining) : remaining) })
    },
  }
}
