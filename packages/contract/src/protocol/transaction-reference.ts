// Short reference of a transaction, such as TRN-8F41-D2K7-06DP: the first sixty variable bits of its id, unique among a
// person's transactions, in unambiguous characters. The id can be looked up by it.

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const groupLength = 4

const reverseGroups = (digits: string): string[] => (digits.match(/.{4}/g) ?? []).toReversed()

/** Returns the reference of a transaction id. The group that varies most comes first. */
export function deriveReference(id: string): string {
  // Skips the version digit, which is the same in all ids.
  const hex = id.replaceAll('-', '')
  let bits = BigInt(`0x${hex.slice(0, 12)}${hex.slice(13, 16)}`)
  let digits = ''
  while (digits.length < 3 * groupLength) {
    digits = alphabet.charAt(Number(bits % 32n)) + digits // not money: a digit
    bits /= 32n
  }
  return ['TRN', ...reverseGroups(digits)].join('-')
}

/** Returns the lowest and highest id of a reference in any case, O read as 0, I and L as 1; otherwise undefined. */
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
