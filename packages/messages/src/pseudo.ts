import type { Params } from './message.ts'

const accents: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ').map((letter, index) => [
    letter,
    Array.from('áƀçđéƒĝĥíĵķĺɱñóþɋŕšŧúṽŵẋýžÁƁÇĐÉƑĜĤÍĴĶĹṀÑÓÞɊŔŠŦÚṼŴẊÝŽ')[index] ?? letter,
  ]),
)

/** A text as it stands, with every letter accented, 40 % longer and between marks; what `kept` holds stays as it is. */
function pseudoText(text: string, kept: readonly string[] = []): string {
  const pieces = kept
    .filter((piece) => piece !== '')
    .toSorted((a, b) => b.length - a.length)
    .reduce<readonly { text: string; isKept: boolean }[]>(
      (found, piece) =>
        found.flatMap((part) =>
          part.isKept
            ? [part]
            : part.text
                .split(piece)
                .flatMap((between, index) => [
                  ...(index === 0 ? [] : [{ text: piece, isKept: true }]),
                  { text: between, isKept: false },
                ]),
        ),
      [{ text, isKept: false }],
    )
  const accented = pieces.map((part) =>
    part.isKept ? part.text : Array.from(part.text, (letter) => accents[letter] ?? letter).join(''),
  )
  const padding = '~'.repeat(Math.ceil(text.length * 0.4))
  return `[!! ${accented.join('')} ${padding} !!]`
}

/**
 * A catalogue, or a part of one, in a language that nobody speaks: whatever a page or mail shows that has not been through it
 * stands out. Parameters stay as they are, for they come from elsewhere.
 */
export function pseudo<T>(part: T): T {
  if (typeof part === 'string') return pseudoText(part) as T
  if (typeof part === 'function') {
    return ((...given: readonly unknown[]) => {
      const said: unknown = part(...given)
      const kept = given.flatMap((one) =>
        typeof one === 'object' && one !== null ? Object.values(one as Params) : [one],
      )
      return typeof said === 'string' ? pseudoText(said, kept.map(String)) : pseudo(said)
    }) as T
  }
  if (Array.isArray(part)) return part.map((one: unknown) => pseudo(one)) as T
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, pseudo(value)])) as T
}
