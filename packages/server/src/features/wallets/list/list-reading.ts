import type { Direction, SortName } from './list-cursor.ts'
import type { Search } from './search-terms.ts'

export interface ListFilters {
  readonly kind: string | undefined
  readonly status: string | undefined
  readonly currency: string | undefined
  /** Lowest id that passes, from the start of the period. */
  readonly lowest: string | undefined
  readonly search: Search | undefined
}

/** Row after which to read. `key` is its sort key, which lists by date do not need. */
export interface ListPlace {
  readonly id: string
  readonly key?: bigint | string
}

/** Part of a list to read. */
export interface ListSlice {
  /** `own_amount`: by amount, within one currency. */
  readonly sort: SortName | 'own_amount'
  readonly order: Direction
  /** True to read in reverse. */
  readonly back: boolean
  readonly after: ListPlace | undefined
  readonly limit: number
  readonly offset: number
}

/** Highest exact count of a list. A count of one more means "more than this". */
export const maxCounted = 10_000

/** Collects the values of a statement: `put` adds one and returns its placeholder. */
export function parameters(...first: unknown[]) {
  const values = [...first]
  return { values, put: (value: unknown) => `$${values.push(value)}` }
}
export type Parameters = ReturnType<typeof parameters>

const reverseDirection = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc')

/** Returns the sort directions of `key` and `id`. Rows with equal keys are newest first in either order. */
export function chooseDirections({ sort, order, back }: ListSlice): { key: Direction; id: Direction } {
  const id = sort === 'date' ? order : 'desc'
  return back ? { key: reverseDirection(order), id: reverseDirection(id) } : { key: order, id }
}

const comparisonOperator = (direction: Direction): string => (direction === 'asc' ? '>' : '<')

const keyTypes: Record<Exclude<ListSlice['sort'], 'date'>, string> = {
  amount: 'numeric',
  own_amount: 'numeric',
  description: 'text collate "C"',
  type: 'text',
  status: 'text',
}

/** `order by` for the columns `key` and `id`. */
export function buildOrderBy(slice: ListSlice): string {
  const { key, id } = chooseDirections(slice)
  return slice.sort === 'date' ? `order by id ${id}` : `order by key ${key}, id ${id}`
}

/**
 * SQL conditions for rows after the place, one per union branch, so that each branch can use an index. Without a
 * place, one that is always true.
 */
export function cursorConditions(slice: ListSlice, key: string, id: string, put: Parameters['put']): string[] {
  const { after } = slice
  if (!after) return ['true']
  const directions = chooseDirections(slice)
  const idCondition = `${id} ${comparisonOperator(directions.id)} ${put(after.id)}::uuid`
  if (slice.sort === 'date') return [idCondition]
  const edge = `${put(String(after.key))}::${keyTypes[slice.sort]}`
  return [`${key} = ${edge} and ${idCondition}`, `${key} ${comparisonOperator(directions.key)} ${edge}`]
}
