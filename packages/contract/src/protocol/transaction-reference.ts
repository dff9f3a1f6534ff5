// Short reference of a transaction, such as TRN-8F41-D2K7-06DP: the first sixty variable bits of its id in unambiguous
// characters. Unique among a person's transactions, and sufficient to look up the id.

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const groupLength = 4

const reverseGroups = (digits: string): string[] => (digits.match(/.{4}/g) ?? []).toReversed()

/** Returns the reference of a transaction id, with the group that varies most in front. */
export function deriveReference(id: string): string {
  // Skips the version digit, which all ids share.
  const hex = id.replaceAll('-', '')
  let bits = BigInt(`0x${hex.slice(0, 12)}${hex.slice(13, 16)}`)
  let digits = ''
  while (digits.length < 3 * groupLength) {
    digits = alphabet.charAt(Number(bits % 32n)) + digits // not money: a digit
    bits /= 32n
  }
  return ['TRN', ...reverseGroups(digits)].join('-')
}

/**
 * Returns the lowest and highest id with this reference; undefined if malformed. Ignores case, and reads O as 0 and I
 * and L as 1.
 */
export function parseReference(text: string): readonly [low: string, high: string] | undefined {
  const normalized = text
    .trim()
    .toUpperCase()
    .replaceAll(/[\s–-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  if (!/^TRN[0-9A-Z]{12}$/.test(normalized)) return undefined
  let bits = 0n
  for (const digit of reverseGroups(normalized.slice(3)).join('')) {
    const value = alphabet.indexOf(digit)
    if (value < 0) return undefined
    bits = bits * 32n + BigInt(value)
  }
  const hex = bits.toString(16).padStart(15, '0')
  const prefix = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12)}`
  return [`${prefix}-0000-000000000000`, `${prefix}-ffff-ffffffffffff`]
}
