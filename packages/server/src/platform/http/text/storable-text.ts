import { shortenName } from '../problem.ts'
import { type Reason, refuse, refuseField } from '../../refuse.ts'

/** Marks a JSON number that JavaScript cannot hold exactly. */
export const roundedNumber = Symbol('rounded number')

/** Maximum nesting of objects and lists in a request. */
const maxLevels = 32

/** Returns whether assigning a property of this name could change an object's prototype. */
const isPrototype = (name: string, part: unknown): boolean =>
  name === '__proto__' || (name === 'constructor' && Object.hasOwn(Object(part), 'prototype'))

type Path = readonly string[]

/**
 * Refuses `invalid_request` for the first field with text that the database cannot store (half a surrogate pair or
 * U+0000, in values and names), or with a number that parsing would round. Refuses `malformed_body` for values nested
 * too deeply and for names that change a prototype.
 */
export function refuseUnstorable(value: unknown, path: Path = []): void {
  if (typeof value === 'string') return refuseText(value, path)
  if (value === roundedNumber) return refuseValue(path, 'number_loses_digits')
  if (typeof value !== 'object' || value === null) return
  if (path.length === maxLevels) refuse('malformed_body')
  for (const [name, part] of Object.entries(value)) {
    if (isPrototype(name, part)) refuse('malformed_body')
    const innerPath = [...path, name]
    refuseText(name, innerPath)
    refuseUnstorable(part, innerPath)
  }
}

function refuseText(text: string, path: Path): void {
  if (!text.isWellFormed()) refuseValue(path, 'broken_characters')
  if (text.includes('\u0000')) refuseValue(path, 'control_characters')
}

const refuseValue = (path: Path, reason: Reason): never =>
  refuseField('invalid_request', shortenName(path.join('.')).toWellFormed() || 'body', reason)
