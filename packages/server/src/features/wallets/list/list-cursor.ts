import { refuseField } from '../../../platform/refuse.ts'
import { isUuid } from '../../../platform/ids.ts'

export const sortNames = ['date', 'type', 'description', 'amount', 'status'] as const
export type SortName = (typeof sortNames)[number]
export type Direction = 'asc' | 'desc'

/** Position before or after a row of a sorted list. */
export interface Cursor {
  readonly sort: SortName
  readonly order: Direction
  /** True to read the rows before it, false for those after it. */
  readonly back: boolean
  /** Type or status if the list is sorted by it, since a status may change between pages; otherwise empty. */
  readonly value: string
  readonly id: string
}

/** Encodes a cursor as opaque text. */
export const writeCursor = ({ sort, order, back, value, id }: Cursor): string =>
  Buffer.from([sort, order, back ? 'back' : 'on', value, id].join(' ')).toString('base64url')

/** Decodes a cursor for this order; refuses `invalid_request` naming `cursor` when invalid. */
export function readCursor(text: string, sort: SortName, order: Direction): Cursor {
  const parts = Buffer.from(text, 'base64url').toString().split(' ')
  const [cursorSort, cursorOrder, direction, value = '', id = ''] = parts
  const isCursor =
    parts.length === 5 && (direction === 'back' || direction === 'on') && /^[A-Z]*$/.test(value) && isUuid(id)
  if (!isCursor) return refuseCursor()
  if (cursorSort !== sort || cursorOrder !== order) {
    return refuseField('invalid_request', 'cursor', 'cursor_of_another_order')
  }
  return { sort, order, back: direction === 'back', value, id }
}

export const refuseCursor = (): never => refuseField('invalid_request', 'cursor', 'not_a_cursor')

/** Returns the lowest UUIDv7 of rows created at or after a time. */
export function lowestId(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0').slice(0, 12)
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
