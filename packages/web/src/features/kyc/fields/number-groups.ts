// Groups national numbers during input, in their country's notation.

/** True for a letter or digit; the other characters of a format or a number are punctuation. */
const isAlphanumeric = (sign: string) => /[A-Z\d]/i.test(sign)

/**
 * Punctuation of a format such as "999.999.999-99", keyed by the number of letters and digits before it; undefined for
 * formats in words.
 */
function readPunctuation(format: string): Map<number, string> | undefined {
  if (/[a-z]/.test(format)) return undefined
  const groupSigns = new Map<number, string>()
  let slots = 0
  for (const sign of format) {
    if (isAlphanumeric(sign)) slots += 1
    else groupSigns.set(slots, sign)
  }
  return groupSigns
}

const countSlots = (text: string): number => Array.from(text.normalize('NFKC')).filter(isAlphanumeric).length

/**
 * Groups a partly typed number by `format`: "123456789" is "123-45-6789" for "XXX-XX-XXXX". Adds punctuation only
 * before a following character, so that it can be deleted. Normalizes full-width digits. Returns text with too many
 * letters and digits unchanged.
 */
export function groupNumber(format: string, text: string): string {
  const normalizedText = text.normalize('NFKC').toUpperCase()
  const punctuation = readPunctuation(format)
  if (!punctuation || countSlots(normalizedText) > countSlots(format)) return text
  let slots = 0
  let groupedText = ''
  for (const sign of normalizedText) {
    if (!isAlphanumeric(sign)) continue
    groupedText += (punctuation.get(slots) ?? '') + sign
    slots += 1
  }
  return groupedText
}

/** Caret position in the grouped text, after the same number of letters and digits as before. */
export function placeCaret(groupedText: string, text: string, caret: number): number {
  let remainingSlots = countSlots(text.slice(0, caret))
  let place = 0
  while (remainingSlots > 0 && place < groupedText.length) {
    if (isAlphanumeric(groupedText[place] ?? '')) remainingSlots -= 1
    place += 1
  }
  return place
}
