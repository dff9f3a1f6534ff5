import { isSameNumber } from '@tern/contract/protocol/text/plain-decimal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse } from '../../refuse.ts'
import { roundedNumber } from './storable-text.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Texts without a run of 16 digits and without an exponent have only numbers that JavaScript keeps exactly. */
const mayRound = /[\d.]{16}|\d[eE][+-]?\d/

/** Makes an app read JSON bodies by `readJson`. */
export function acceptJson(app: FastifyInstance): void {
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request: FastifyRequest, body: Buffer) =>
    Promise.resolve().then(() => readJson(body)),
  )
}

/**
 * The value of a JSON text (RFC 8259), with `roundedNumber` for each number that JavaScript would change. Refuses
 * `malformed_body` for a body that is not JSON in UTF-8, or that has a name twice in one object (RFC 7493, section 2.3).
 */
export function readJson(body: Buffer): unknown {
  try {
    const text = utf8.decode(body)
    const value: unknown = mayRound.test(text) ? JSON.parse(text, exactly) : JSON.parse(text)
    return countWrittenNames(text) === countNames(value) ? value : refuse('malformed_body')
  } catch {
    return refuse('malformed_body')
  }
}

const stringOrName = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

/** Names in a JSON text, each as often as it is written. */
function countWrittenNames(text: string): number {
  let count = 0
  for (const [, colon] of text.matchAll(stringOrName)) count += colon === undefined ? 0 : 1
  return count
}

/** Names in a value, at any depth. */
function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const parts = Object.values(value)
  return parts.reduce((count: number, part) => count + countNames(part), Array.isArray(value) ? 0 : parts.length)
}

interface Source {
  readonly source?: string
}

function exactly(_key: string, value: unknown, { source }: Source = {}): unknown {
  const isRounded = typeof value === 'number' && source !== undefined && !isExact(source, value)
  return isRounded ? roundedNumber : value
}

/** Whether the digits of a number's text are those that JavaScript gives for its value. */
function isExact(source: string, value: number): boolean {
  if (value === 0) return !/^[^eE]*[1-9]/.test(source)
  return Number.isFinite(value) && isSameNumber(source, String(value))
}
