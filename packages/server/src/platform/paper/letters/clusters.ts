// Prepares texts for drawing: well-formed, composed, and split into clusters.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Code points without a glyph of their own: joiners, variation selectors, direction marks, spaces. */
const invisiblePattern = /^[\p{Default_Ignorable_Code_Point}\p{Zs}]$/u

/** Composes letters, and removes control characters and direction marks; keeps line feeds. */
export function drawable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/[\p{Cc}--[\n]]|[\p{Default_Ignorable_Code_Point}--[\u200C\u200D\p{Variation_Selector}]]/gv, '')
    .normalize('NFC')
}

/** Splits a text into graphemes, such as a letter with its marks or a flag. */
export const splitClusters = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment)

/** Returns the code points of a cluster for which a typeface needs glyphs. */
export const visibleCodes = (cluster: string): number[] =>
  Array.from(cluster)
    .filter((letter) => !invisiblePattern.test(letter))
    .map((letter) => letter.codePointAt(0) ?? 0)
