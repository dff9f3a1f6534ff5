import { createHash } from 'node:crypto'
import type { KeyRing } from '../seal.ts'

type Environment = Readonly<Record<string, string | undefined>>

const shortest = 32
// Among three million texts of 128 random bits in hexadecimal, the lowest estimate was 77.
const minEntropyBits = 60
const placeholder = /change.?(me|this|it)|passw|secret|example|default|qwerty|letmein|insert|your.?key/i

/** Returns why a secret is too easy to guess, as the end of a sentence; undefined if it is strong. */
export function findWeakness(secret: string): string | undefined {
  if (secret.length < shortest) return `it has ${secret.length} characters, and needs at least ${shortest}`
  if (isRepetition(secret)) return 'it repeats itself'
  if (placeholder.test(secret)) return 'it contains a word that stands in examples'
  if (estimateBits(secret) < minEntropyBits) return 'its characters are too much alike or in sequence'
  return undefined
}

/** Returns whether a text repeats its beginning, of at most half its length; the last repetition may be cut off. */
function isRepetition(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period += 1) {
    if (text.slice(period) === text.slice(0, -period)) return true
  }
  return false
}

/**
 * Returns Shannon's entropy estimate in bits, without characters that continue a sequence such as `abcd`, `8642` or
 * `aaaa`.
 */
function estimateBits(text: string): number {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const step = (at: number) => (codes[at] ?? 0) - (codes[at - 1] ?? 0)
  const significantCodes = codes.filter((_, at) => at < 2 || step(at) !== step(at - 1))
  const counts = new Map<number, number>()
  for (const code of significantCodes) counts.set(code, (counts.get(code) ?? 0) + 1)
  // not money: an estimate in bits
  return [...counts.values()].reduce((bits, count) => bits - count * Math.log2(count / significantCodes.length), 0)
}

/**
 * Returns the key ring: TERN_SECRET, which seals, then TERN_OLD_SECRET, TERN_OLD_SECRET_2 and so on, which only open.
 * Old secrets may be weak, since they are being replaced. Calls `fail` with a sentence for an unusable one.
 */
export function readKeyRing(
  environment: Environment,
  isProduction: boolean,
  fail: (sentence: string) => never,
): KeyRing {
  const current = environment.TERN_SECRET ?? ''
  if (current.length < shortest) fail(`TERN_SECRET must be set to a random text of at least ${shortest} characters.`)
  const weakness = isProduction ? findWeakness(current) : undefined
  if (weakness !== undefined) {
    fail(
      `TERN_SECRET is too easy to guess: ${weakness}. Set a new one, such as "openssl rand -base64 32" makes, and give the present one as TERN_OLD_SECRET if it has been in use.`,
    )
  }
  const old = Object.entries(environment)
    .filter(([name, text]) => /^TERN_OLD_SECRET(_\d+)?$/.test(name) && text !== undefined && text !== '')
    .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([, text]) => text ?? '')
  if (old.includes(current)) fail('TERN_OLD_SECRET must differ from TERN_SECRET.')
  const deriveKey = (text: string) => createHash('sha256').update(text).digest()
  return [deriveKey(current), ...old.map(deriveKey)]
}
