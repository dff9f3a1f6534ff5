// Texts in drawable form: well-formed, composed, and split into clusters that no line or typeface divides.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Code points without a glyph of their own: joiners, variation selectors, marks of direction, spaces. */
const invisiblePattern = /^[\p{Default_Ignorable_Code_Point}\p{Zs}]$/u

/** Text with composed letters, without invisible characters: controls, lone surrogates, marks of direction. */
export function drawable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/[\p{Cc}--[\n]]|[\p{Default_Ignorable_Code_Point}--[\u200C\u200D\p{Variation_Selector}]]/gv, '')
    .normalize('NFC')
}

/** User-perceived letters, such as a base with its marks or a flag. */
export const splitClusters = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment)

/** The code points of a cluster that a typeface must have. */
export const visibleCodes = (cluster: string): number[] =>
  Array.from(cluster)
    .filter((letter) => !invisiblePattern.test(letter))
    .map((letter) => letter.codePointAt(0) ?? 0)
