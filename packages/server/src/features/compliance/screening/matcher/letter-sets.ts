// Letters of a text as bits, which bound the likeness of two texts without comparing them.

/** Returns one bit for each letter; letters of large alphabets share bits. */
export function toLetterSet(text: string): number {
  let bits = 0
  for (let index = 0; index < text.length; index += 1) bits |= 1 << (text.charCodeAt(index) & 31)
  return bits
}

export function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55_55_55_55)
  const fours = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33)
  return Math.imul((fours + (fours >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24
}

/** A typing error changes at most two bits: a replaced letter two, swapped letters none. */
export const bitsPerError = 2
