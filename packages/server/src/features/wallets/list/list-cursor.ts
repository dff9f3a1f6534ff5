import { refuseField } from '../../../platform/refuse.ts'
import { isUuid } from '../../../platform/ids.ts'

export const sortNames = ['date', 'type', 'description', 'amount', 'status'] as const
export type SortName = (typeof sortNames)[number]
export type Direction = 'asc' | 'desc'

/** A place in a list: beside one of its rows. */
export interface Cursor {
  readonly sort: SortName
  readonly order: Direction
  /** Whether the rows before the place are wanted instead of those after it. */
  readonly back: boolean
  /** The row's type or status when the list is sorted by it: a status may change while somebody turns pages. */
  readonly value: string
  readonly id: string
}

/** The cursor as a text that says nothing to its reader. */
export const writeCursor = ({ sort, order, back, value, id }: Cursor): string =>
  Buffer.from([sort, order, back ? 'back' : 'on', value, id].join(' ')).toString('base64url')

/** Reads a cursor of a list in this order; refuses `invalid_request` naming `cursor` when it is none. */
export function readCursor(text: string, sort: SortName, order: Direction): Cursor {
  const parts = Buffer.from(text, 'base64url').toString().split(' ')
  const [ofSort, ofOrder, way, value = '', id = ''] = parts
  const isCursor = parts.length === 5 && (way === 'back' || way === 'on') && /^[A-Z]*$/.test(value) && isUuid(id)
  if (!isCursor) return refuseCursor()
  if (ofSort !== sort || ofOrder !== order) {
    return refuseField('invalid_request', 'cursor', 'cursor_of_another_order')
  }
  return { sort, order, back: way === 'back', value, id }
}

/** Says that a cursor leads nowhere. */
export const refuseCursor = (): never => refuseField('invalid_request', 'cursor', 'not_a_cursor')

/** The lowest id (UUIDv7) that a row of this time or later can have. */
export function lowestId(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0').slice(0, 12)
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
