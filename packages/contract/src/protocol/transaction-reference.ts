// A transaction's short reference, such as TRN-8F41-D2K7-06DP: the first sixty bits of its id, which tell it apart from every
// other one of a person, in figures and letters that are not mistaken for one another. Whoever has it finds the id.

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const groupLength = 4

const reversed = (digits: string): string[] => (digits.match(/.{4}/g) ?? []).toReversed()

/** The reference of a transaction's id. The group that differs most comes first. */
export function referenceOf(id: string): string {
  // The version is the same in all.
  const hex = id.replaceAll('-', '')
  let bits = BigInt(`0x${hex.slice(0, 12)}${hex.slice(13, 16)}`)
  let digits = ''
  while (digits.length < 3 * groupLength) {
    digits = alphabet.charAt(Number(bits % 32n)) + digits // not money: a digit
    bits /= 32n
  }
  return ['TRN', ...reversed(digits)].join('-')
}

/** The first and last id with a reference as people write it: in any case, with O for 0. Undefined for other texts. */
export function idsOfReference(text: string): readonly [low: string, high: string] | undefined {
  const written = text
    .trim()
    .toUpperCase()
    .replaceAll(/[\s–-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  if (!/^TRN[0-9A-Z]{12}$/.test(written)) return undefined
  let bits = 0n
  for (const digit of reversed(written.slice(3)).join('')) {
    const value = alphabet.indexOf(digit)
    if (value < 0) return undefined
    bits = bits * 32n + BigInt(value)
  }
  const hex = bits.toString(16).padStart(15, '0')
  const begun = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12)}`
  return [`${begun}-0000-000000000000`, `${begun}-ffff-ffffffffffff`]
}
