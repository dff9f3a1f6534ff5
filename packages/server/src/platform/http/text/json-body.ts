import { isSameNumber } from '@tern/contract/protocol/text/plain-decimal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse } from '../../refuse.ts'
import { roundedNumber } from './storable-text.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Matches texts that may have a number JavaScript rounds: one with an exponent, or with 16 digits and points in a row.
 */
const mayRound = /[\d.]{16}|\d[eE][+-]?\d/

/** Makes an app parse JSON bodies with `readJson`. */
export function acceptJson(app: FastifyInstance): void {
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request: FastifyRequest, body: Buffer) =>
    Promise.resolve().then(() => readJson(body)),
  )
}

/**
 * Parses a JSON text (RFC 8259), with `roundedNumber` in place of each number that JavaScript would round. Refuses
 * `malformed_body` for a body that is not JSON in UTF-8, or that repeats a name in one object (RFC 7493, section 2.3).
 */
export function readJson(body: Buffer): unknown {
  try {
    const text = utf8.decode(body)
    const value: unknown = mayRound.test(text) ? JSON.parse(text, reviveNumber) : JSON.parse(text)
    return countWrittenNames(text) === countNames(value) ? value : refuse('malformed_body')
  } catch {
    return refuse('malformed_body')
  }
}

const stringOrName = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

/** Counts the names in a JSON text, including repetitions. */
function countWrittenNames(text: string): number {
  let count = 0
  for (const [, colon] of text.matchAll(stringOrName)) count += colon === undefined ? 0 : 1
  return count
}

/** Counts the names in a value, at any depth. */
function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const parts = Object.values(value)
  return parts.reduce((count: number, part) => count + countNames(part), Array.isArray(value) ? 0 : parts.length)
}

interface Source {
  readonly source?: string
}

function reviveNumber(_key: string, value: unknown, { source }: Source = {}): unknown {
  const isRounded = typeof value === 'number' && source !== undefined && !isExact(source, value)
  return isRounded ? roundedNumber : value
}

/** Returns whether JavaScript represents a number exactly as written. */
function isExact(source: string, value: number): boolean {
  if (value === 0) return !/^[^eE]*[1-9]/.test(source)
  return Number.isFinite(value) && isSameNumber(source, String(value))
}
