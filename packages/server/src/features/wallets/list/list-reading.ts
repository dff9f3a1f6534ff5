import type { Direction, SortName } from './list-cursor.ts'
import type { Search } from './search-terms.ts'

/** What narrows a list. */
export interface Narrowing {
  readonly kind: string | undefined
  readonly status: string | undefined
  readonly currency: string | undefined
  /** The lowest id that fits. */
  readonly lowest: string | undefined
  readonly search: Search | undefined
}

/** A row beside which reading begins; `key` is what the list is sorted by, unless that is the id itself. */
export interface Place {
  readonly id: string
  readonly key?: bigint | string
}

/** Which rows of a list are wanted. */
export interface Reading {
  readonly sort: SortName
  readonly order: Direction
  /** Whether the list is read against its order. */
  readonly back: boolean
  readonly after: Place | undefined
  readonly limit: number
  readonly offset: number
}

/** A list under its narrowing, from whichever tables it can be read best. */
export interface List {
  /** How many rows fit; one more than is ever counted stands for all above. */
  count(): Promise<number>
  /** The ids of the wanted rows, in the order of reading. */
  ids(reading: Reading): Promise<string[]>
}

export const mostCounted = 10_000

/** Collects the values of a statement: `put` gives the placeholder of one. */
export function parameters(...first: unknown[]) {
  const values = [...first]
  return { values, put: (value: unknown) => `$${values.push(value)}` }
}
export type Parameters = ReturnType<typeof parameters>

const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc')

/** Among equal keys the newest comes first, whichever way the keys go. */
export function directionsOf({ sort, order, back }: Reading): { key: Direction; id: Direction } {
  const id = sort === 'date' ? order : 'desc'
  return back ? { key: opposite(order), id: opposite(id) } : { key: order, id }
}

const beyond = (direction: Direction): string => (direction === 'asc' ? '>' : '<')

const keyTypes: Record<Exclude<SortName, 'date'>, string> = {
  amount: 'numeric',
  description: 'text collate "C"',
  type: 'text',
  status: 'text',
}

/** `order by` of rows with the columns `key` and `id`. */
export function orderOf(reading: Reading): string {
  const { key, id } = directionsOf(reading)
  return reading.sort === 'date' ? `order by id ${id}` : `order by key ${key}, id ${id}`
}

/**
 * The conditions that let through what comes after the reading's place, each for one branch of a union: an index can
 * begin at any of them. Without a place, one that lets everything through.
 */
export function conditionsAfter(reading: Reading, key: string, id: string, put: Parameters['put']): string[] {
  const { after } = reading
  if (!after) return ['true']
  const directions = directionsOf(reading)
  const idAfter = `${id} ${beyond(directions.id)} ${put(after.id)}::uuid`
  if (reading.sort === 'date') return [idAfter]
  const edge = `${put(String(after.key))}::${keyTypes[reading.sort]}`
  return [`${key} = ${edge} and ${idAfter}`, `${key} ${beyond(directions.key)} ${edge}`]
}
