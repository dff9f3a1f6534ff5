export interface Language {
  /** BCP 47 tag, such as `pt-BR`. */
  readonly code: string
  /** Locale for dates and amounts in its sentences. */
  readonly locale: string
  readonly direction: 'ltr' | 'rtl'
}

interface Wish {
  readonly range: string
  readonly quality: number
}

/** Parses an `Accept-Language` header: languages by descending preference, without those of quality 0. */
function parsePreferences(header: string): Wish[] {
  return header
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { range, quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ range, quality }) => range !== '' && quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
}

/**
 * Returns the language of `available` that an `Accept-Language` header prefers (RFC 4647, lookup): `pt-BR` matches
 * `pt-BR`, then `pt`. Returns the first one for `*`, and if none matches.
 */
export function negotiate(header: string | undefined, available: readonly [string, ...string[]]): string {
  for (const { range } of parsePreferences(header ?? '')) {
    for (
      let requested = range;
      requested !== '';
      requested = requested.slice(0, Math.max(0, requested.lastIndexOf('-')))
    ) {
      const found = available.find((code) => code.toLowerCase() === requested)
      if (found !== undefined) return found
    }
    if (range === '*') break
  }
  return available[0]
}
