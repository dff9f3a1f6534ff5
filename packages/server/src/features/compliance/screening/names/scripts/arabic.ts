import { type LetterTable, readTable } from './letter-table.ts'

// ALA-LC romanisation of Arabic, Persian, Pashto and Urdu, without its marks. Short vowels are seldom written.
const arabic = readTable(`
  ا a أ a إ i آ a ٱ a ب b ت t ث th ج j ح h خ kh د d ذ dh ر r ز z س s ش sh ص s ض d ط t ظ z ع - غ gh ف f ق q ك k
  ل l م m ن n ه h و w ي y ى a ة a ء - ؤ u ئ i ﷲ allah
  پ p چ ch ژ zh گ g ک k ی y ہ h ھ h ے e ۓ e ں n ٹ t ڈ d ڑ r ړ r ښ sh ږ zh ټ t ډ d ڼ n ځ z څ ts ې e ۍ ay ګ g ۀ a
  \u064E a \u0650 i \u064F u \u064B an \u064D in \u064C un
`)

// ALA-LC romanisation of Persian, Pashto and Urdu where it differs from Arabic.
const persian = readTable('ث s ذ z ض z')
const emptyTable: LetterTable = {}
const isPersian = /[یکگپچژټډړښږڼځڅېۍګےہھںٹڈڑ]/u

/** Returns the deviations from the Arabic table; a text in Persian, Pashto or Urdu is recognised by its own letters. */
export const chooseArabicLetters = (text: string): LetterTable => (isPersian.test(text) ? persian : emptyTable)

/**
 * Transliterates a word. After the first letter, و and ي are long vowels. The article is attached by a hyphen; `abu`
 * becomes a separate word.
 */
export function arabicWord(word: string, languageLetters: LetterTable): string {
  const [, kunya, name] = /^([أا]بو)(.{3,})$/u.exec(word) ?? []
  if (kunya !== undefined && name !== undefined) return `abu ${arabicWord(name, languageLetters)}`
  if (/^ال?ل[هہ]$/u.test(word)) return 'allah'
  const [, article, stem = ''] = /^(ال)?(.*)$/u.exec(word) ?? []
  const latin = Array.from(stem, (letter, index) => {
    const isFirst = index === 0
    // Distinguishes a long first vowel, as in `abid`, from `abd` (servant).
    if (isFirst && letter === 'ع') return stem[1] === 'ا' ? 'ae' : 'a'
    if (!isFirst && letter === 'و') return 'u'
    if (!isFirst && (letter === 'ي' || letter === 'ی')) return 'i'
    return languageLetters[letter] ?? arabic[letter] ?? ''
  })
  return article && stem.length > 1 ? `al-${latin.join('')}` : `${article ? 'al' : ''}${latin.join('')}`
}
