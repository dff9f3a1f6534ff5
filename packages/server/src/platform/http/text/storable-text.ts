import { shortened } from '../problem.ts'
import { type Reason, refuse, refuseField } from '../../refuse.ts'

/** A JSON number that JavaScript cannot hold exactly. */
export const roundedNumber = Symbol('rounded number')

/** Objects and lists within one another that a request may have. */
const mostLevels = 32

/** Whether a name reaches an object's prototype where its object is copied. */
const isPrototype = (name: string, part: unknown): boolean =>
  name === '__proto__' || (name === 'constructor' && Object.hasOwn(Object(part), 'prototype'))

type Path = readonly string[]

/**
 * Refuses `invalid_request` naming the first field with text that the database cannot store, half a surrogate pair or U+0000,
 * in values and in names; and with a number that parsing has rounded. Refuses `malformed_body` for values nested too deeply and
 * for names of prototypes.
 */
export function refuseUnstorable(value: unknown, path: Path = []): void {
  if (typeof value === 'string') return refuseText(value, path)
  if (value === roundedNumber) return refuseAt(path, 'number_loses_digits')
  if (typeof value !== 'object' || value === null) return
  if (path.length === mostLevels) refuse('malformed_body')
  for (const [name, part] of Object.entries(value)) {
    if (isPrototype(name, part)) refuse('malformed_body')
    const inner = [...path, name]
    refuseText(name, inner)
    refuseUnstorable(part, inner)
  }
}

function refuseText(text: string, path: Path): void {
  if (!text.isWellFormed()) refuseAt(path, 'broken_characters')
  if (text.includes('\u0000')) refuseAt(path, 'control_characters')
}

const refuseAt = (path: Path, reason: Reason): never =>
  refuseField('invalid_request', shortened(path.join('.')).toWellFormed() || 'body', reason)
