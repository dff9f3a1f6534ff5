// National numbers are grouped while they are typed, as their country writes them.

/** Where a format has letters and digits; the rest of it is punctuation. X and 9 stand for digits, other letters for letters. */
const isSlot = (sign: string) => /[A-Z\d]/i.test(sign)

/** The punctuation of a format such as "999.999.999-99", by the number of letters and digits before it; none for words. */
function punctuationOf(format: string): Map<number, string> | undefined {
  if (/[a-z]/.test(format)) return undefined
  const found = new Map<number, string>()
  let slots = 0
  for (const sign of format) {
    if (isSlot(sign)) slots += 1
    else found.set(slots, sign)
  }
  return found
}

const slotsIn = (text: string): number => Array.from(text.normalize('NFKC')).filter(isSlot).length

/**
 * What was typed of a number, grouped as in `format`: "123456789" is "123-45-6789" for "XXX-XX-XXXX". Punctuation only
 * stands before what follows it, so that it can be deleted. Wide digits become plain ones. What has too many letters and digits
 * stays as it is.
 */
export function groupNumber(format: string, text: string): string {
  const plain = text.normalize('NFKC').toUpperCase()
  const punctuation = punctuationOf(format)
  if (!punctuation || slotsIn(plain) > slotsIn(format)) return text
  let slots = 0
  let grouped = ''
  for (const sign of plain) {
    if (!isSlot(sign)) continue
    grouped += (punctuation.get(slots) ?? '') + sign
    slots += 1
  }
  return grouped
}

/** Where the caret stands in the grouped text: behind as many letters and digits as before. */
export function caretIn(grouped: string, text: string, caret: number): number {
  let before = slotsIn(text.slice(0, caret))
  let place = 0
  while (before > 0 && place < grouped.length) {
    if (isSlot(grouped[place] ?? '')) before -= 1
    place += 1
  }
  return place
}
