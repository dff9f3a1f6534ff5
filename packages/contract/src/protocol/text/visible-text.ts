/** Characters without a glyph: Default_Ignorable_Code_Point (UAX 44) and interlinear annotation marks. */
const invisiblePattern = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u
/** White space, and glyphs that draw nothing: blanks of Braille, hieroglyphs, Khitan and musical notation. */
const blankClass = String.raw`\s\u2800\u{13430}-\u{13442}\u{16FE4}\u{1D159}`
/** Matches from the first to the last non-blank character, in linear time. */
const trimmedPattern = new RegExp(`[^${blankClass}](?:.*[^${blankClass}])?`, 'su')
const blankTextPattern = new RegExp(String.raw`^[${blankClass}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]*$`, 'u')

const variationSelector = /\p{Variation_Selector}/u
const variableBase = /[\p{Emoji}\p{Ideographic}\p{Script=Mongolian}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Sm}]/u
const joinerPattern = /[\u034F\u200C\u200D]/u
const joiningBase =
  /[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Phags_Pa}]/u
const flagTagPattern = /[\u{E0020}-\u{E007F}]/u
const blackFlag = '\u{1F3F4}'

/**
 * Reports whether an invisible character changes the glyph of the preceding one, as in emoji, ideographs and joining
 * scripts.
 */
function shapesPreceding(character: string, previous: string): boolean {
  if (variationSelector.test(character)) return variableBase.test(previous)
  if (flagTagPattern.test(character)) return previous === blackFlag || flagTagPattern.test(previous)
  if (!joinerPattern.test(character)) return false
  return joiningBase.test(previous) && (variationSelector.test(previous) || !invisiblePattern.test(previous))
}

/**
 * Returns the text for storage: without surrounding blanks, bidirectional controls and other invisible characters,
 * except those that change the glyph of the preceding character. Text without visible characters becomes empty.
 */
export function visibleText(text: string): string {
  const visible = invisiblePattern.test(text) ? removeInvisible(text) : text
  return blankTextPattern.test(visible) ? '' : (trimmedPattern.exec(visible)?.[0] ?? '')
}

function removeInvisible(text: string): string {
  let previous = ''
  let visibleCharacters = ''
  for (const character of text) {
    if (invisiblePattern.test(character) && !shapesPreceding(character, previous)) continue
    visibleCharacters += character
    previous = character
  }
  return visibleCharacters
}
