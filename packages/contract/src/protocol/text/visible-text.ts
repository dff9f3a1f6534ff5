/** Visible form of text, shared by server, contract and browser. */

/** Characters without a glyph: Default_Ignorable_Code_Point (UAX 44) and interlinear annotation marks. */
const invisible = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u
/** White space, and glyphs without ink: blanks of Braille, hieroglyphs, Khitan and musical notation. */
const blank = String.raw`\s\u2800\u{13430}-\u{13442}\u{16FE4}\u{1D159}`
/** Matches from the first to the last character that is not blank, in linear time. */
const withoutEdges = new RegExp(`[^${blank}](?:.*[^${blank}])?`, 'su')
const blankOnly = new RegExp(String.raw`^[${blank}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]*$`, 'u')

const variationSelector = /\p{Variation_Selector}/u
const varied = /[\p{Emoji}\p{Ideographic}\p{Script=Mongolian}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Sm}]/u
const joiner = /[\u034F\u200C\u200D]/u
const joined =
  /[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Phags_Pa}]/u
const flagTag = /[\u{E0020}-\u{E007F}]/u
const blackFlag = '\u{1F3F4}'

/** Reports whether an invisible character shapes the preceding one, as in emoji, ideographs and joining scripts. */
function shapes(character: string, before: string): boolean {
  if (variationSelector.test(character)) return varied.test(before)
  if (flagTag.test(character)) return before === blackFlag || flagTag.test(before)
  if (!joiner.test(character)) return false
  return joined.test(before) && (variationSelector.test(before) || !invisible.test(before))
}

/**
 * Returns the text for storage: without blanks at its ends, and without invisible characters other than those that
 * shape the preceding character. Bidirectional controls are removed too. Text without visible characters becomes empty.
 */
export function visibleText(text: string): string {
  const visible = invisible.test(text) ? withoutInvisible(text) : text
  return blankOnly.test(visible) ? '' : (withoutEdges.exec(visible)?.[0] ?? '')
}

function withoutInvisible(text: string): string {
  let before = ''
  let visible = ''
  for (const character of text) {
    if (invisible.test(character) && !shapes(character, before)) continue
    visible += character
    before = character
  }
  return visible
}
