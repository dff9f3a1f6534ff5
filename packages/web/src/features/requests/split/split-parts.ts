// Form values of a bill, and the parts derived from them.

import type { PublicUser } from '@tern/contract/identity'
import { minPeople, maxPeople, maxShares } from '@tern/contract/requests/split-limits'
import type { SplitMethod } from '@tern/contract/requests/splits'
import type { FiatCode } from '@tern/money/currency'
import { add, type Money, subtract, toDecimal, zero } from '@tern/money/money'
import { splitByShares } from '@tern/money/shares'
import { split } from '#messages/transfers/split.ts'
import type { FormErrors } from '../../../app/forms/resolver.ts'
import { parseAmount } from '../../../app/orders/amount.ts'

/** One participant. Shares and amount are kept as typed, whichever of them applies. */
export interface SplitPerson {
  readonly user: PublicUser
  readonly isOwn: boolean
  readonly shares: string
  readonly amount: string
}

export interface SplitValues {
  total: string
  description: string
  method: SplitMethod
  people: readonly SplitPerson[]
  personText: string
}

export interface SplitDraft {
  readonly total: Money | undefined
  /** In list order; undefined while unknown. */
  readonly parts: readonly (Money | undefined)[]
  readonly assigned: Money
  /** Negative if more than the bill is assigned. */
  readonly remaining: Money
  readonly requested: Money
  readonly otherCount: number
}

export const participantName = ({ user, isOwn }: SplitPerson): string =>
  isOwn ? split.you : (user.name ?? user.username)

/** Parses a number of shares; undefined unless it is in the server's range. */
export function parseShares(text: string): bigint | undefined {
  const count = /^\d{1,4}$/.test(text.trim()) ? BigInt(text.trim()) : 0n
  return count >= 1n && count <= BigInt(maxShares) ? count : undefined
}

function computeParts(currency: FiatCode, { method, people }: SplitValues, total: Money | undefined) {
  if (method === 'amounts') return people.map(({ amount }) => parseAmount(currency, amount))
  const shares = people.map((person) => (method === 'equal' ? 1n : parseShares(person.shares)))
  const knownShares = shares.filter((count) => count !== undefined)
  if (!total || knownShares.length === 0 || knownShares.length < shares.length) return people.map(() => undefined)
  return splitByShares(total, knownShares)
}

export function computeDraft(currency: FiatCode, values: SplitValues): SplitDraft {
  const total = parseAmount(currency, values.total)
  const parts = computeParts(currency, values, total)
  const zeroAmount = zero(currency)
  const sum = (amounts: readonly (Money | undefined)[]) =>
    amounts.reduce<Money>((all, part) => (part ? add(all, part) : all), zeroAmount)
  const assigned = sum(parts)
  return {
    ...{ total, parts, assigned },
    remaining: subtract(total ?? zeroAmount, assigned),
    requested: sum(parts.filter((_, index) => !values.people[index]?.isOwn)),
    otherCount: values.people.filter(({ isOwn }) => !isOwn).length,
  }
}

/** Checks whether the entered amounts differ from the bill; requests wait until every cent is assigned. */
export const hasRemainder = ({ method }: SplitValues, { total, remaining }: SplitDraft): boolean =>
  method === 'amounts' && total !== undefined && remaining.minor !== 0n

/** Field name for the error of one participant's part. */
export const partError = (index: number): string => `part-${index}`

export function validateSplit(currency: FiatCode, values: SplitValues): FormErrors {
  const { people, method } = values
  const { total, parts } = computeDraft(currency, values)
  if (!total) return { total: split.enterBill }
  if (people.length < minPeople) {
    const hasOthers = people.some(({ isOwn }) => !isOwn)
    return { personText: hasOthers ? split.onlyOne : split.addSomebody }
  }
  if (people.length > maxPeople) return { personText: split.tooMany(maxPeople) }
  if (method === 'shares') {
    const invalidIndex = people.findIndex(({ shares }) => parseShares(shares) === undefined)
    if (invalidIndex >= 0) return { [partError(invalidIndex)]: split.enterShares(maxShares) }
  }
  const missingIndex = parts.findIndex((part) => part === undefined || part.minor === 0n)
  if (missingIndex < 0) return {}
  return method === 'amounts'
    ? { [partError(missingIndex)]: split.enterPart }
    : { total: split.tooSmall(people.length) }
}

/** Request body; undefined while the bill is incomplete. */
export function buildSplitRequest(currency: FiatCode, values: SplitValues) {
  const { total, parts, remaining } = computeDraft(currency, values)
  if (!total || remaining.minor !== 0n) return undefined
  const listedParts = values.people.flatMap((person, index) => {
    const [part, count] = [parts[index], parseShares(person.shares)]
    if (!part) return []
    const shares = values.method === 'shares' && count !== undefined ? { shares: Number(count) } : {} // not money: a count
    return [{ person, part: { amount: toDecimal(part), ...shares } }]
  })
  if (listedParts.length < values.people.length) return undefined
  const ownPart = listedParts.find(({ person }) => person.isOwn)
  return {
    ...{ total: toDecimal(total), currency, description: values.description, split_by: values.method },
    ...(ownPart ? { own: ownPart.part } : {}),
    people: listedParts.flatMap(({ person, part }) => (person.isOwn ? [] : [{ user_id: person.user.id, ...part }])),
  }
}
