/** What a catalogue is written in. */
export interface Language {
  /** As BCP 47 names it, such as `pt-BR`. */
  readonly code: string
  /** How dates and amounts are written beside its sentences. */
  readonly locale: string
  readonly direction: 'ltr' | 'rtl'
}

interface Wish {
  readonly range: string
  readonly quality: number
}

/** The languages of an `Accept-Language` header, the most wanted first; those of quality 0 are left out. */
function wishesOf(header: string): Wish[] {
  return header
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { range, quality: given === undefined ? 1 : Number(given) }
    })
    .filter(({ range, quality }) => range !== '' && quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
}

/**
 * The one of `available` that an `Accept-Language` header asks for most (RFC 4647, lookup): `pt-BR` is served by `pt-BR`, then
 * `pt`; `*` and everything unknown by the first.
 */
export function negotiate(header: string | undefined, available: readonly [string, ...string[]]): string {
  for (const { range } of wishesOf(header ?? '')) {
    for (let wanted = range; wanted !== ''; wanted = wanted.slice(0, Math.max(0, wanted.lastIndexOf('-')))) {
      const found = available.find((code) => code.toLowerCase() === wanted)
      if (found !== undefined) return found
    }
    if (range === '*') break
  }
  return available[0]
}
