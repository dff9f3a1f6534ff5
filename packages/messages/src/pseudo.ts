import type { Params } from './message.ts'

const accents: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ').map((letter, index) => [
    letter,
    Array.from('áƀçđéƒĝĥíĵķĺɱñóþɋŕšŧúṽŵẋýžÁƁÇĐÉƑĜĤÍĴĶĹṀÑÓÞɊŔŠŦÚṼŴẊÝŽ')[index] ?? letter,
  ]),
)

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** A text with every letter accented, 40 % longer and between marks; what `kept` holds stays as it is. */
function pseudoText(text: string, kept: readonly string[] = []): string {
  const known = kept.filter((piece) => piece !== '').toSorted((a, b) => b.length - a.length)
  const pieces = known.length === 0 ? [text] : text.split(new RegExp(`(${known.map(escapePattern).join('|')})`, 'u'))
  // Whatever the pattern found stands at the odd places.
  const accented = pieces.map((piece, place) =>
    place % 2 === 1 ? piece : Array.from(piece, (letter) => accents[letter] ?? letter).join(''),
  )
  return `[!! ${accented.join('')} ${'~'.repeat(Math.ceil(text.length * 0.4))} !!]`
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
