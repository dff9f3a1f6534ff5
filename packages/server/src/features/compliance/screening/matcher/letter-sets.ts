// Sets of letters as bits: their difference bounds the similarity of two texts without comparing them.

/** Returns the letters of a text as bits; letters of large alphabets share bits. */
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

/** A replaced letter changes at most two bits, swapped letters none, any other typing error at most one. */
export const bitsPerError = 2
