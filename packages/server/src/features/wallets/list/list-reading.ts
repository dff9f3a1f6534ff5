import type { Direction, SortName } from './list-cursor.ts'
import type { Search } from './search-terms.ts'

/** List filters. */
export interface Narrowing {
  readonly kind: string | undefined
  readonly status: string | undefined
  readonly currency: string | undefined
  /** The lowest matching id. */
  readonly lowest: string | undefined
  readonly search: Search | undefined
}

/** A row to read from; `key` is the sort value, unless by id. */
export interface Place {
  readonly id: string
  readonly key?: bigint | string
}

/** The part of a list to read. */
export interface Reading {
  /** `own_amount`: by amounts of one currency. */
  readonly sort: SortName | 'own_amount'
  readonly order: Direction
  /** Reads in reverse. */
  readonly back: boolean
  readonly after: Place | undefined
  readonly limit: number
  readonly offset: number
}

/** Highest exact count of a list; one more means that there are more. */
export const mostCounted = 10_000

/** Collects a statement's values: `put` returns a placeholder. */
export function parameters(...first: unknown[]) {
  const values = [...first]
  return { values, put: (value: unknown) => `$${values.push(value)}` }
}
export type Parameters = ReturnType<typeof parameters>

const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc')

/** Equal keys are always sorted newest first. */
export function chooseDirections({ sort, order, back }: Reading): { key: Direction; id: Direction } {
  const id = sort === 'date' ? order : 'desc'
  return back ? { key: opposite(order), id: opposite(id) } : { key: order, id }
}

const beyond = (direction: Direction): string => (direction === 'asc' ? '>' : '<')

const keyTypes: Record<Exclude<Reading['sort'], 'date'>, string> = {
  amount: 'numeric',
  own_amount: 'numeric',
  description: 'text collate "C"',
  type: 'text',
  status: 'text',
}

/** `order by` for the columns `key` and `id`. */
export function buildOrderBy(reading: Reading): string {
  const { key, id } = chooseDirections(reading)
  return reading.sort === 'date' ? `order by id ${id}` : `order by key ${key}, id ${id}`
}

/**
 * Conditions for rows after the place, one per union branch so that each can use an index. Without a place, matches
 * everything.
 */
export function conditionsAfter(reading: Reading, key: string, id: string, put: Parameters['put']): string[] {
  const { after } = reading
  if (!after) return ['true']
  const directions = chooseDirections(reading)
  const idAfter = `${id} ${beyond(directions.id)} ${put(after.id)}::uuid`
  if (reading.sort === 'date') return [idAfter]
  const edge = `${put(String(after.key))}::${keyTypes[reading.sort]}`
  return [`${key} = ${edge} and ${idAfter}`, `${key} ${beyond(directions.key)} ${edge}`]
}
